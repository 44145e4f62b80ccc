# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes folders such as a run leaves behind, from lists of latencies.

Knows nothing of the report that is made of them.
"""

import hashlib
import json
import os

MS_NS = 1000000
SINCE_NS = 5 * MS_NS
CLOCK_START_NS = 1767225600 * 10**9


def bucket_low(value):
    """Return: the lowest value of the bucket, 64 to an octave, of VALUE."""
    shift = max(0, value.bit_length() - 7)
    return value >> shift << shift


def bucket_middle(value):
    """Return: what fio calls the bucket of VALUE: its middle."""
    shift = max(0, value.bit_length() - 7)
    return bucket_low(value) + (1 << shift >> 1)


def counted(values):
    """Return: {value: how often}, sorted by value."""
    return {value: values.count(value) for value in sorted(set(values))}


def device_op(latencies_ns, data_bytes=0, errors=0):
    """Return: one operation of the drive's statistics. Of its percentiles, the
    report makes its own."""
    lows = counted([bucket_low(value) for value in latencies_ns])
    return {'count': len(latencies_ns), 'errors': errors, 'bytes': data_bytes,
            'sum_ns': sum(latencies_ns), 'min_ns': min(latencies_ns, default=0),
            'max_ns': max(latencies_ns, default=0), 'p50_ns': 0, 'p95_ns': 0,
            'p99_ns': 0, 'histogram': [list(pair) for pair in lows.items()]}


def device(ops, channels, units, window_ns, geometry=None, **more):
    """Return: the drive's statistics of a step, as the device gives them."""
    geometry = geometry or {'channels': len(channels), 'dies': 1, 'planes': 1,
                            'ways': len(units) // len(channels)}
    return {'version': 1, 'since_ns': SINCE_NS, 'now_ns': SINCE_NS + window_ns,
            'ops': ops, 'flash': {'senses': 7, 'programs': 1024, 'erases': 3},
            'channels': channels, 'units': units, 'geometry': geometry, **more}


def fio_side(latencies_ns, block_bytes, runtime_ms):
    """Return: "read", "write" or "trim" of one of fio's jobs."""
    count = len(latencies_ns)
    middles = counted([bucket_middle(value) for value in latencies_ns])
    clat = {'min': min(latencies_ns, default=0), 'N': count,
            'max': max(latencies_ns, default=0),
            'mean': sum(latencies_ns) / count if count else 0.0}
    if count:
        clat['bins'] = {str(value): times for value, times in middles.items()}
    return {'total_ios': count, 'io_bytes': count * block_bytes,
            'runtime': runtime_ms, 'clat_ns': clat}


def fio_job(name='job', group=0, error=0, options=None, **sides):
    """Return: one of fio's jobs; those of the three sides that are not given
    did nothing."""
    return {'jobname': name, 'groupid': group, 'error': error,
            'job options': options or {},
            **{side: sides.get(side) or fio_side([], 0, 0)
               for side in ('read', 'write', 'trim')}}


def load_job(elapsed_ms, **ops):
    """Return: one of zns-load's jobs: each operation by its own name."""
    return {**fio_job(), 'femu': {'elapsed_ns': elapsed_ms * MS_NS,
                                  'ops': ops}}


def fio(*jobs):
    """Return: fio's output."""
    return {'fio version': 'fio-3.39', 'jobs': list(jobs)}


def zone_op(operation, latencies_ns, errno=0):
    """Return: zone-op's output, for zones from 4 on."""
    return {'device': '/dev/nvme0n1', 'operation': operation,
            'zones': [{'zone': 4 + idx, 'latency_ns': value, 'errno': errno}
                      for idx, value in enumerate(latencies_ns)]}


def step(name, kind, command, files, exit_status=0, duration_ns=12 * MS_NS):
    """Return: (meta.json's entry, {name of a file: its content})."""
    contents = {'results/%s.%s.json' % (name, what): content
                for what, content in files.items()}
    entry = {'name': name, 'kind': kind, 'command': command,
             'exit': exit_status, 'start_ns': CLOCK_START_NS,
             'end_ns': CLOCK_START_NS + duration_ns,
             'files': {what: 'results/%s.%s.json' % (name, what)
                       for what in files}}
    return entry, contents


# Of zn540.cfg as it is: what is said of it belongs to its content.
with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), '..',
                       '..', 'configs', 'zn540.cfg'), 'rb') as _file:
    ZN540_SUM = hashlib.sha256(_file.read()).hexdigest()


def write_run(out_dir, steps, config='confznspp', properties=None,
              virtual_ns=None, config_sum='bb' * 32, drive=None, **meta):
    """Writes a run of STEPS into the folder OUT_DIR, CONFIG changed by
    PROPERTIES, which makes it DRIVE; META adds to meta.json or replaces
    there."""
    os.makedirs(os.path.join(out_dir, 'results'))
    content = {
        'version': '0123456789ab-dirty', 'status': 'passed',
        'job': {'file': '/home/user/jobs/default.sh', 'sha256': 'aa' * 32},
        'config': {'file': '/home/user/configs/%s.cfg' % config,
                   'sha256': config_sum, 'driver': 'femu-zns',
                   'set': properties or {}, 'properties': drive or {}},
        'time': 'virtual', 'accel': 'tcg, icount shift=0,sleep=off',
        'time_dilation': 1,
        'qemu': {'version': '10.0.13', 'file': '/usr/bin/qemu',
                 'sha256': 'cc' * 32},
        'guest': {'kernel': '6.12.1-amd64',
                  'root': {'file': '/home/user/root.erofs',
                           'sha256': 'dd' * 32}},
        'notes': [], 'steps': [entry for entry, _ in steps],
        'host': {'boot_s': 8.5, 'total_s': 65.25}}
    write_json(out_dir, 'meta.json', {**content, **meta})
    for _, files in steps:
        for name, value in files.items():
            write_json(out_dir, name, value)
    if virtual_ns is not None:
        write_text(out_dir, 'trace.csv', trace([], virtual_ns))


# A small drive: zones of 64 blocks of 4 KiB, of which 48 can be written.
TRACE_PARAMS = {'zones': 8, 'namespaces': 1, 'zone-size': 64 << 12,
                'zone-capacity': 48 << 12, 'lba-size': 4096,
                'conventional-size': 0}


def command(at_ns, latency_ns, operation, slba, nlb=1, nsid=1, select_all=0,
            status=0):
    """Return: a command of a trace; one that takes None has not ended."""
    return at_ns, latency_ns, (operation, nsid, slba, nlb, select_all, status)


def trace(commands, end_ns=None, params=None, events=()):
    """EVENTS: [(time, line)]. Return: the text of a trace of COMMANDS, in any
    order; without END_NS one that was cut short."""
    lines = [(at_ns, 2, text) for at_ns, text in events]
    for seq, (at_ns, latency_ns, parts) in enumerate(
            sorted(commands, key=lambda one: one[0])):
        lines.append((at_ns, 2, 'S,%d,%d,%s' % (
            seq, at_ns, ','.join(map(str, parts)))))
        if latency_ns is not None and not parts[-1]:
            # At one instant ends come first, but not before their beginning.
            lines.append((at_ns + latency_ns, 1 if latency_ns else 3,
                          'C,%d,%d,0,0' % (seq, at_ns + latency_ns)))
    texts = ['# femu-zns trace 2'] + [
        'P,%s,%s' % pair for pair in {**TRACE_PARAMS, **(params or {})}.items()]
    texts += [text for _, _, text in sorted(lines, key=lambda one: one[:2])]
    if end_ns is not None:
        texts.append('E,%d' % end_ns)
    return '\n'.join(texts) + '\n'


def write_json(out_dir, name, value):
    """Writes VALUE as the JSON file NAME of the run in OUT_DIR."""
    write_text(out_dir, name, json.dumps(value) + '\n')


def write_text(out_dir, name, text):
    """Writes TEXT as the file NAME of the run in OUT_DIR."""
    with open(os.path.join(out_dir, name), 'w', encoding='utf-8') as file:
        file.write(text)
