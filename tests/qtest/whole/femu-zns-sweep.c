/*
 * Sweeps: commands, answers, texts.
 *
 * Knows nothing of which commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-sums.h"
#include "femu-zns-sweep.h"

#define SHOWN_BYTES 8192

typedef struct Kind {
    const char *name;
    const char *set;        /* properties on top of femu_small_config() */
    uint32_t namespaces;
    const char *only;       /* the one case for it, or NULL: all */
} Kind;

static const Kind kinds[] = {
    { "excursions", "serial=sweep,excursion-ns=50000000,"
                    "finish-recommended-ns=1000,reset-recommended-ns=2000",
      1, "reports" },
    { "plain", "serial=sweep,mdts=16K,zasl=8K", 1 },
    { "all", "conventional-size=1M,zd-extension-size=64,zrwa-size=48K,"
             "max-zrwa=2,max-active=3,max-open=3,write-cache=volatile,"
             "write-buffer=512K,program-registers=1,max-queue-pairs=3,"
             "dbbuf=on", 2 },
};

/* A case for one kind of drive. */
typedef struct Test {
    const char *file;
    const Kind *kind;
    const SweepCase *one;
} Test;

static void say_cqe(Sweep *s, const FemuCqe *cqe)
{
    SAY(s, " %x%s %" PRIx64, cqe->status, cqe->dnr ? " dnr" : "",
        cqe->result);
}

static void say_buf(Sweep *s)
{
    uint8_t data[SHOWN_BYTES + 1] = { 0 };
    const uint8_t *config;
    g_autofree char *sum = NULL;

    qtest_bufread(s->drive->host->qts, s->drive->buf, data, SHOWN_BYTES);
    config = memmem(data, SHOWN_BYTES, ",\"config\":{", 11);
    sum = g_compute_checksum_for_data(G_CHECKSUM_MD5, data,
                                      config ? config - data : SHOWN_BYTES);
    SAY(s, " %s", sum);
}

void sweep_fill(Sweep *s, uint8_t byte)
{
    qtest_memset(s->drive->host->qts, s->drive->buf, byte, SHOWN_BYTES);
}

void sweep_run(Sweep *s, FemuSq *sq, const NvmeCmd *cmd)
{
    FemuCqe cqe = { .status = UINT16_MAX };

    SAY(s, "%u %02x %x: %x %x %x %x", sq->id, cmd->opcode,
        le32_to_cpu(cmd->nsid), le32_to_cpu(cmd->cdw10),
        le32_to_cpu(cmd->cdw11), le32_to_cpu(cmd->cdw12),
        le32_to_cpu(cmd->cdw13));
    femu_submit(sq, cmd);
    for (unsigned i = 0; i < 8 && !femu_reap(sq->cq, &cqe); i++) {
        femu_step(s->drive->host, UINT64_C(1000) << 3 * i);
    }
    say_cqe(s, &cqe);
    if (s->shows) {
        say_buf(s);
    }
    SAY(s, "\n");
}

NvmeCmd sweep_admin_cmd(const Sweep *s, uint8_t opcode, uint32_t nsid,
                        uint32_t cdw10, uint32_t cdw11)
{
    return (NvmeCmd) {
        .opcode = opcode, .nsid = cpu_to_le32(nsid),
        .dptr.prp1 = cpu_to_le64(s->drive->buf),
        .dptr.prp2 = cpu_to_le64(s->drive->buf + FEMU_PAGE_BYTES),
        .cdw10 = cpu_to_le32(cdw10), .cdw11 = cpu_to_le32(cdw11),
    };
}

NvmeCmd sweep_io_cmd(Sweep *s, uint8_t opcode, uint64_t slba, uint32_t nlb)
{
    return femu_cmd_rw(s->drive, opcode, slba, nlb, s->drive->buf);
}

void sweep_set(Sweep *s, const char *property, const char *value)
{
    QDict *reply = qtest_qmp(s->drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path': " "'" FEMU_SWEEP_PATH "'"
                             ", 'property': %s, 'value': %s}}", property,
                             value);
    QDict *error = qdict_get_qdict(reply, "error");

    SAY(s, "%s=%s: %s\n", property, value,
        error ? qdict_get_str(error, "desc") : "good");
    qobject_unref(reply);
}

void sweep_clear(Sweep *s)
{
    qtest_qmp_assert_success(s->drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path': " "'" FEMU_SWEEP_PATH "'"
                             ", 'property': 'inject-clear', 'value': true}}");
}

void sweep_get(Sweep *s, const char *property)
{
    QDict *reply = qtest_qmp(s->drive->host->qts, "{'execute': 'qom-get',"
                             " 'arguments': {'path': " "'" FEMU_SWEEP_PATH "'"
                             ", 'property': %s}}", property);

    SAY(s, "%s: %s\n", property, qdict_get_try_str(reply, "return") ?: "-");
    qobject_unref(reply);
}

static void test_sweep(const void *data)
{
    const Test *test = data;
    g_autofree char *name = g_strdup_printf("%s-%s", test->kind->name,
                                            test->one->name);
    FemuConfig config = femu_small_config();
    Sweep s = { .text = g_string_new(NULL) };

    config.ssd.namespaces = test->kind->namespaces;
    s.drive = femu_boot(&config, test->kind->set);
    test->one->sweep(&s);
    femu_shutdown(s.drive);
    femu_sum_compare(test->file, name, s.text->str);
    g_string_free(s.text, TRUE);
}

void sweep_add(const char *file, const SweepCase *cases, unsigned count)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds) * count; i++) {
        const Test test = { file, &kinds[i / count], &cases[i % count] };
        const char *only = test.kind->only;
        g_autofree char *path = g_strdup_printf(
            "femu-zns/sweep/%s/%s", test.kind->name, test.one->name);

        if (!only || g_str_equal(only, test.one->name)) {
            qtest_add_data_func_full(path, g_memdup2(&test, sizeof(test)),
                                     test_sweep, g_free);
        }
    }
}
