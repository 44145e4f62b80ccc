// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Admin commands that exceed a limit: Identify, log pages, features, queues,
 * formats, attachment, events, opcodes.
 *
 * Knows nothing of zones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "limits-admin.h"

#define PAGE_BYTES 4096
#define BROADCAST UINT32_MAX

#define SELECT_SHIFT 8          /* Get Features: which value */
#define SAVE (1u << 31)
#define INDEX_OFFSET (1u << 23)
#define CSI_SHIFT 24

#define LOG_ERROR 1
#define LOG_SMART 2
#define LOG_EFFECTS 5
#define ERROR_ENTRIES_MAX 256
#define ERROR_ENTRY_BYTES 64

#define FEATURE_ARBITRATION 1
#define FEATURE_POWER 2
#define FEATURE_TEMPERATURE 4
#define FEATURE_ERROR_RECOVERY 5
#define FEATURE_QUEUES 7
#define FEATURE_VECTOR 9
#define FEATURE_EVENTS 0xb
#define FEATURE_COMMAND_SETS 0x19

#define QUEUE_ENTRIES 16
#define CONTIGUOUS 1
#define EVENT_WAIT_US 100000
#define EVENT_SMART 1           /* type of the result of an event request */

static Cmd data_cmd(Drive *drive, uint8_t opcode, uint32_t nsid)
{
    return (Cmd) {
        .opcode = opcode,
        .nsid = nsid,
        .addr = (uintptr_t)drive->data,
        .data_len = PAGE_BYTES,
    };
}

static void identifies(Drive *drive)
{
    uint32_t beyond = drive->namespaces + 1;
    struct {
        unsigned status;
        const char *what;
        uint32_t nsid;
        uint32_t cns;
        uint32_t csi;
    } row[] = {
        { INVALID_NAMESPACE, "identify namespace 0", 0, 0, 0 },
        { INVALID_NAMESPACE, "identify the namespace after the last", beyond,
          0, 0 },
        { INVALID_NAMESPACE, "identify descriptors of no namespace", beyond, 3,
          0 },
        { INVALID_NAMESPACE, "identify zoned namespace 0", 0, 5, 2 },
        { INVALID_NAMESPACE, "identify active namespaces above FFFFFFFEh",
          BROADCAST - 1, 2, 0 },
        { INVALID_NAMESPACE, "identify active namespaces above FFFFFFFFh",
          BROADCAST, 2, 0 },
        { INVALID_FIELD, "identify with CNS 0Ah", 1, 0xa, 0 },
        { INVALID_FIELD, "identify with CNS 1Fh", 1, 0x1f, 0 },
        { INVALID_FIELD, "identify with CNS FFh", 1, 0xff, 0 },
        { INVALID_FIELD, "identify namespace of command set 1", drive->nsid, 5,
          1 },
        { INVALID_FIELD, "identify namespace of command set FFh", drive->nsid,
          5, 0xff },
        { INVALID_FIELD, "identify controller of command set 1", 0, 6, 1 },
    };

    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        Cmd cmd = data_cmd(drive, IDENTIFY, row[i].nsid);

        cmd.cdw10 = row[i].cns;
        cmd.cdw11 = row[i].csi << CSI_SHIFT;
        expect_admin(drive, row[i].status, row[i].what, cmd);
    }
}

static Cmd log_cmd(Drive *drive, uint32_t nsid, uint32_t lid, uint64_t bytes)
{
    Cmd cmd = data_cmd(drive, GET_LOG, nsid);
    uint32_t dwords = bytes / 4 - 1;

    cmd.data_len = bytes < PAGE_BYTES ? bytes : PAGE_BYTES;
    cmd.cdw10 = lid | dwords << 16;
    cmd.cdw11 = dwords >> 16;
    return cmd;
}

static void logs(Drive *drive)
{
    Cmd cmd;

    expect_admin(drive, INVALID_LOG_PAGE, "log page 7Fh",
                 log_cmd(drive, BROADCAST, 0x7f, 512));
    expect_admin(drive, INVALID_LOG_PAGE, "log page FFh",
                 log_cmd(drive, BROADCAST, 0xff, 512));
    expect_admin(drive, INVALID_NAMESPACE, "SMART log of no namespace",
                 log_cmd(drive, drive->namespaces + 1, LOG_SMART, 512));
    expect_admin(drive, INVALID_FIELD, "log of a dword more than MDTS",
                 log_cmd(drive, BROADCAST, LOG_ERROR, drive->max_bytes + 4));
    cmd = log_cmd(drive, BROADCAST, LOG_ERROR, 512);
    cmd.cdw12 = ERROR_ENTRIES_MAX * ERROR_ENTRY_BYTES + 4;
    expect_admin(drive, INVALID_FIELD, "log from beyond its end", cmd);
    cmd.cdw12 = 0;
    cmd.cdw13 = 1;
    expect_admin(drive, INVALID_FIELD, "log from 4 GiB on", cmd);
    cmd.cdw13 = 0;
    cmd.cdw12 = 2;
    expect_admin(drive, INVALID_FIELD, "log from byte 2 on", cmd);
    cmd.cdw12 = 0;
    cmd.cdw14 = INDEX_OFFSET;
    expect_admin(drive, INVALID_FIELD, "log from an index on", cmd);
    cmd = log_cmd(drive, BROADCAST, LOG_EFFECTS, 4096);
    cmd.cdw14 = 1u << CSI_SHIFT;
    expect_admin(drive, COMMAND_SET_NOT_SUPPORTED,
                 "effects log of command set 1", cmd);
    cmd.cdw14 = 0xffu << CSI_SHIFT;
    expect_admin(drive, COMMAND_SET_NOT_SUPPORTED,
                 "effects log of command set FFh", cmd);
}

static Cmd feature_cmd(uint8_t opcode, uint32_t nsid, uint32_t cdw10,
                       uint32_t cdw11)
{
    return (Cmd) {
        .opcode = opcode, .nsid = nsid, .cdw10 = cdw10, .cdw11 = cdw11,
    };
}

static void features(Drive *drive)
{
    uint32_t beyond = drive->namespaces + 1;
    struct {
        unsigned status;
        const char *what;
        uint8_t opcode;
        uint32_t nsid;
        uint32_t cdw10;
        uint32_t cdw11;
    } row[] = {
        { INVALID_FIELD, "get feature 00h", GET_FEATURES, 0, 0, 0 },
        { INVALID_FIELD, "get feature 3Fh", GET_FEATURES, 0, 0x3f, 0 },
        { INVALID_FIELD, "get feature FFh", GET_FEATURES, 0, 0xff, 0 },
        { INVALID_FIELD, "get feature, select 4", GET_FEATURES, 0,
          FEATURE_ARBITRATION | 4 << SELECT_SHIFT, 0 },
        { INVALID_FIELD, "get feature, select 7", GET_FEATURES, 0,
          FEATURE_ARBITRATION | 7 << SELECT_SHIFT, 0 },
        { INVALID_NAMESPACE, "get feature of no namespace", GET_FEATURES,
          beyond, FEATURE_ERROR_RECOVERY, 0 },
        { INVALID_FIELD, "get temperature threshold of sensor 1",
          GET_FEATURES, 0, FEATURE_TEMPERATURE, 1 << 16 },
        { INVALID_FIELD, "get temperature threshold of a third kind",
          GET_FEATURES, 0, FEATURE_TEMPERATURE, 2 << 20 },
        { INVALID_FIELD, "get interrupt vector FFFFh", GET_FEATURES, 0,
          FEATURE_VECTOR, 0xffff },
        { INVALID_FIELD, "set feature 00h", SET_FEATURES, 0, 0, 0 },
        { INVALID_FIELD, "set feature 3Fh", SET_FEATURES, 0, 0x3f, 0 },
        { FEATURE_NOT_SAVEABLE, "save a feature", SET_FEATURES, 0,
          FEATURE_ARBITRATION | SAVE, 0 },
        { FEATURE_NOT_OF_NAMESPACE, "set a controller's feature of namespace",
          SET_FEATURES, drive->nsid, FEATURE_ARBITRATION, 0 },
        { INVALID_NAMESPACE, "set feature of no namespace", SET_FEATURES,
          beyond, FEATURE_ERROR_RECOVERY, 0 },
        { INVALID_FIELD, "set power state 1", SET_FEATURES, 0, FEATURE_POWER,
          1 },
        { INVALID_FIELD, "set temperature threshold of sensor 1",
          SET_FEATURES, 0, FEATURE_TEMPERATURE, 1 << 16 | 400 },
        { INVALID_FIELD, "set error recovery with DULBE", SET_FEATURES,
          drive->nsid, FEATURE_ERROR_RECOVERY, 1 << 16 },
        { COMMAND_SEQUENCE_ERROR, "set number of queues when there are some",
          SET_FEATURES, 0, FEATURE_QUEUES, 0x00010001 },
        { INVALID_FIELD, "set interrupt vector FFFFh", SET_FEATURES, 0,
          FEATURE_VECTOR, 0xffff },
        { COMMAND_SETS_REJECTED, "set command set combination 1",
          SET_FEATURES, 0, FEATURE_COMMAND_SETS, 1 },
    };

    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        expect_admin(drive, row[i].status, row[i].what,
                     feature_cmd(row[i].opcode, row[i].nsid, row[i].cdw10,
                                 row[i].cdw11));
    }
}

/* The queue pair that the driver uses is 1. */
static void queues(Drive *drive)
{
    uint32_t size = (QUEUE_ENTRIES - 1) << 16;
    struct {
        unsigned status;
        const char *what;
        uint8_t opcode;
        uint32_t cdw10;
        uint32_t cdw11;
    } row[] = {
        { INVALID_QID, "create completion queue 0", CREATE_CQ, size,
          CONTIGUOUS },
        { INVALID_QID, "create completion queue FFFFh", CREATE_CQ,
          size | 0xffff, CONTIGUOUS },
        { INVALID_QID, "create completion queue 1 again", CREATE_CQ, size | 1,
          CONTIGUOUS },
        { INVALID_QUEUE_SIZE, "create a completion queue of 1 entry",
          CREATE_CQ, 2, CONTIGUOUS },
        { INVALID_QUEUE_SIZE, "create a completion queue of 65536 entries",
          CREATE_CQ, 0xffff0000 | 2, CONTIGUOUS },
        { INVALID_FIELD, "create a completion queue in pieces", CREATE_CQ,
          size | 2, 0 },
        { INVALID_INTERRUPT_VECTOR, "create a completion queue of vector FFFFh",
          CREATE_CQ, size | 2, 0xffff0000 | CONTIGUOUS },
        { INVALID_CQID, "create a submission queue for completion queue 0",
          CREATE_SQ, size | 2, CONTIGUOUS },
        { INVALID_CQID, "create a submission queue for no completion queue",
          CREATE_SQ, size | 2, 0xffff0000 | CONTIGUOUS },
        { INVALID_QID, "create submission queue 1 again", CREATE_SQ, size | 1,
          1 << 16 | CONTIGUOUS },
        { INVALID_QID, "create submission queue FFFFh", CREATE_SQ,
          size | 0xffff, 1 << 16 | CONTIGUOUS },
        { INVALID_QUEUE_SIZE, "create a submission queue of 1 entry",
          CREATE_SQ, 2, 1 << 16 | CONTIGUOUS },
        { INVALID_QID, "delete submission queue 0", DELETE_SQ, 0, 0 },
        { INVALID_QID, "delete submission queue FFFFh", DELETE_SQ, 0xffff, 0 },
        { INVALID_QID, "delete completion queue 0", DELETE_CQ, 0, 0 },
        { INVALID_QUEUE_DELETION, "delete completion queue 1, which is used",
          DELETE_CQ, 1, 0 },
    };

    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        Cmd cmd = data_cmd(drive, row[i].opcode, 0);

        if (row[i].opcode == DELETE_SQ || row[i].opcode == DELETE_CQ) {
            cmd.data_len = 0;
        }
        cmd.cdw10 = row[i].cdw10;
        cmd.cdw11 = row[i].cdw11;
        expect_admin(drive, row[i].status, row[i].what, cmd);
    }
}

/* Optional commands that the drive does not offer, and opcodes of nobody. */
static void admin_opcodes(Drive *drive)
{
    static const struct {
        uint8_t opcode;
        const char *what;
    } row[] = {
        { 0x03, "admin opcode 03h" },
        { 0x10, "firmware commit" },
        { 0x14, "device self-test" },
        { 0x18, "keep alive" },
        { 0x1c, "virtualization management" },
        { 0x84, "sanitize" },
        { 0x7b, "admin opcode 7Bh" },
        { 0xc0, "admin opcode C0h" },
        { 0xff, "admin opcode FFh" },
    };

    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        expect_admin(drive, INVALID_OPCODE, row[i].what, (Cmd) {
            .opcode = row[i].opcode,
        });
    }
}

/* Format NVM: none of these may format. */
static void formats(Drive *drive)
{
    uint32_t none = drive->format_count, last = none - 1;
    struct {
        unsigned status;
        const char *what;
        uint32_t nsid;
        uint32_t cdw10;
    } row[] = {
        { INVALID_NAMESPACE, "format namespace 0", 0, last },
        { INVALID_NAMESPACE, "format the namespace after the last",
          drive->namespaces + 1, last },
        { INVALID_FORMAT, "format with the format after the last",
          drive->nsid, none },
        { INVALID_FORMAT, "format all with the format after the last",
          BROADCAST, none },
        { INVALID_FORMAT, "format with format 63", drive->nsid,
          3 << 12 | 15 },
        { INVALID_FORMAT, "format with protection information", drive->nsid,
          last | 1 << 5 },
        { INVALID_FIELD, "format with protection information of type 7",
          drive->nsid, last | 7 << 5 },
        { INVALID_FIELD, "format with cryptographic erase", drive->nsid,
          last | 2 << 9 },
        { INVALID_FIELD, "format with erase 7", drive->nsid, last | 7 << 9 },
    };

    if (!drive->has_format) {
        expect_admin(drive, INVALID_OPCODE, "format, which is not offered",
                     (Cmd) { .opcode = FORMAT, .nsid = drive->nsid });
        return;
    }
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        expect_admin(drive, row[i].status, row[i].what, (Cmd) {
            .opcode = FORMAT, .nsid = row[i].nsid, .cdw10 = row[i].cdw10,
        });
    }
}

/* Namespace Attachment: none of these may detach. */
static void attachments(Drive *drive)
{
    struct {
        unsigned status;
        const char *what;
        uint32_t nsid;
        uint32_t select;
        uint16_t list[2];       /* controllers: how many, the first */
    } row[] = {
        { ALREADY_ATTACHED, "attach an attached namespace", drive->nsid, 0,
          { 1, 0 } },
        { INVALID_NAMESPACE, "attach namespace 0", 0, 0, { 1, 0 } },
        { INVALID_NAMESPACE, "detach the namespace after the last",
          drive->namespaces + 1, 1, { 1, 0 } },
        { INVALID_FIELD, "neither attach nor detach", drive->nsid, 2,
          { 1, 0 } },
        { INVALID_CONTROLLER_LIST, "detach from controller 1", drive->nsid, 1,
          { 1, 1 } },
        { INVALID_CONTROLLER_LIST, "detach from no controller", drive->nsid,
          1, { 0, 0 } },
        { INVALID_CONTROLLER_LIST, "detach from 2048 controllers",
          drive->nsid, 1, { 2048, 0 } },
    };

    if (!drive->has_attachment) {
        expect_admin(drive, INVALID_OPCODE, "attach, which is not offered",
                     (Cmd) { .opcode = ATTACHMENT, .nsid = drive->nsid });
        return;
    }
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        Cmd cmd = data_cmd(drive, ATTACHMENT, row[i].nsid);

        cmd.cdw10 = row[i].select;
        memset(drive->data, 0, PAGE_BYTES);
        memcpy(drive->data, row[i].list, sizeof(row[i].list));
        expect_admin(drive, row[i].status, row[i].what, cmd);
    }
}

/* Asynchronous Event Requests */

/*
 * A process that waits for an event. Its exit status: 0 if one came that is
 * of SMART, 1 if the request was one too many, 2 otherwise.
 */
static pid_t event_waiter(Drive *drive)
{
    Cmd cmd = { .opcode = ASYNC_EVENT };
    pid_t pid = fork();

    if (pid == 0) {
        unsigned status = admin(drive, &cmd);
        bool smart = status == SUCCESS && (cmd.result & 7) == EVENT_SMART;

        _exit(smart ? 0 : status == AER_LIMIT_EXCEEDED ? 1 : 2);
    }
    return pid;
}

/* Return: the exit status of `pid`, or -1 if it still waits. */
static int waiter_status(pid_t pid)
{
    int status;

    usleep(EVENT_WAIT_US);
    if (waitpid(pid, &status, WNOHANG) != pid) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* Make one event happen: the drive is warmer than 1 K, then it is not. */
static void event(Drive *drive, uint32_t threshold_kelvin)
{
    must_admin(drive, "set temperature threshold",
               feature_cmd(SET_FEATURES, 0, FEATURE_TEMPERATURE, 1));
    usleep(EVENT_WAIT_US);
    must_admin(drive, "read the SMART log",
               log_cmd(drive, BROADCAST, LOG_SMART, 512));
    must_admin(drive, "set temperature threshold",
               feature_cmd(SET_FEATURES, 0, FEATURE_TEMPERATURE,
                           threshold_kelvin));
}

static uint32_t feature(Drive *drive, uint32_t fid)
{
    Cmd cmd = feature_cmd(GET_FEATURES, 0, fid, 0);

    if (admin(drive, &cmd) != SUCCESS) {
        die("feature %#x cannot be read", fid);
    }
    return cmd.result;
}

/*
 * As many requests as the drive takes, and one more. The driver may have one
 * of its own outstanding, which an event may answer instead of ours.
 */
static void events(Drive *drive)
{
    uint32_t threshold_kelvin = feature(drive, FEATURE_TEMPERATURE);
    uint32_t enabled = feature(drive, FEATURE_EVENTS);
    uint32_t waiting = 0, answered = 0;
    pid_t pid[257];
    int status = -1;

    while (status == -1 && waiting <= drive->max_aers) {
        pid[waiting] = event_waiter(drive);
        status = waiter_status(pid[waiting]);
        waiting += status == -1;
    }
    expect_true(drive, status == 1 && (waiting == drive->max_aers ||
                                       waiting + 1 == drive->max_aers),
                "one event request more than AERL is refused as such");
    must_admin(drive, "enable events",
               feature_cmd(SET_FEATURES, 0, FEATURE_EVENTS, enabled | 2));
    for (uint32_t i = 0; i <= waiting && answered < waiting; i++) {
        event(drive, threshold_kelvin);
        for (uint32_t j = 0; j < waiting; j++) {
            int ended = pid[j] ? waiter_status(pid[j]) : -1;

            if (ended >= 0) {
                pid[j] = 0;
                answered += ended == 0;
            }
        }
    }
    expect_true(drive, answered == waiting,
                "every event request below AERL gets its event");
    must_admin(drive, "restore the events",
               feature_cmd(SET_FEATURES, 0, FEATURE_EVENTS, enabled));
}

void limits_admin(Drive *drive)
{
    identifies(drive);
    logs(drive);
    features(drive);
    queues(drive);
    admin_opcodes(drive);
    formats(drive);
    attachments(drive);
    events(drive);
}
