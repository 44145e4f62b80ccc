/*
 * Inside the dumb drive: what the files model*.c share.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_MODEL_INTERNAL_H
#define FEMU_TEST_MODEL_INTERNAL_H

#include "model.h"

/* Bytes [at, end) of a zone, counted over all namespaces. */
typedef struct Piece {
    uint32_t zone_idx;
    uint64_t at;
    uint64_t end;
} Piece;

/* What has been fetched for a row of reads, or is being: model_ahead.c */
typedef struct AheadLine AheadLine;

/* Reads of a zone, one from the end of the other. */
typedef struct Row {
    bool reads_ever;        /* else it is none */
    uint32_t zone_idx;
    uint64_t next;          /* byte of the zone */
    uint64_t number;        /* which row this is: 1, ... */
    uint64_t reads;
    uint64_t seq;           /* of the last read */
    GQueue lines;           /* AheadLine, in order */
} Row;

/*
 * A command inside: `parts` pages, jobs or waits are left; then, in its turn,
 * what it writes. A Select All that finishes or resets has `jobs`, of which
 * `admitted` may work, `ended` have.
 */
typedef struct Cmd {
    SsdDone done;
    uint64_t seq;           /* of its submission */
    unsigned parts;
    bool host_io;
    uint64_t bytes;         /* read or written */

    /* The way in and out. */
    bool takes_slot;        /* a read; it has one when it has entered */
    bool entered;
    bool passes;            /* the front end, whatever is in there */
    uint64_t before_ns;
    uint64_t after_ns;
    uint64_t again_ns;      /* when its data have arrived */
    uint64_t fixed_ns;
    uint64_t link_until_ns; /* its data cross the link until then */
    uint64_t again_until_ns; /* the front end has it once more until then */

    GArray *reads;          /* Piece: what it reads at its hand-off */
    bool begun;             /* it has been handed off */
    Row *row;               /* of reads, that it is one of, ... */
    uint64_t row_number;    /* ... while it has this number */
    bool has_data;          /* to write that are not in the drive yet */
    bool writes;            /* its turn to write has not come: */
    Piece write;
    Piece commit;           /* whose pages are programmed after it, ... */
    uint64_t there;         /* ... below this byte without a transfer */
    bool zrwa;
    uint32_t life;          /* of the zone that it writes */
    uint64_t let_in;        /* bytes that the buffer has found room for */

    /* Of the conventional namespace. */
    bool conventional;
    uint64_t nlb;
    Piece target;           /* what it writes, in bytes of the namespace, ... */
    bool log_begun;         /* ... of which some has a place in the log, ... */
    uint64_t log_at;        /* ... and all below this, whole granules, ... */
    uint64_t log_end;       /* ... and shall have up to here */

    GPtrArray *jobs;        /* Job; those that have ended are gone */
    bool select_all;
    unsigned admitted;
    unsigned ended;
} Cmd;

/* A read of less than 4 KiB that has ended. */
typedef struct PartRead {
    uint64_t seq;
    uint32_t nsid;
    uint32_t zone_idx;
} PartRead;

/* The media work of a finish (`fill`) or reset on one zone. */
typedef struct Job {
    RulesJob rules;
    Rules *of;              /* the namespace of the zone */
    uint64_t seq;           /* of its submission */
    uint32_t zone_idx;      /* counted over all namespaces */
    Cmd *cmd;
    bool fill;
    bool handed_off;
    bool admitted;
    bool running;
    bool erases;            /* of a reset: its management is over */
    unsigned pending;
    uint32_t life;          /* that it fills or ends */
    uint64_t next_page;
    uint64_t chunk_end;     /* pages below are being filled */
    uint64_t there;         /* of the zone: what needs no transfer */
    uint64_t host_bytes;    /* of a reset: that the host had written */
    int superblock;         /* that it erases, or -1 */
    bool background;        /* erases, for no command and no zone */
    bool waits;             /* for STEP_WAKE */
    bool stalls;            /* lets host I/O go first, ... */
    uint64_t stalls_from_ns;    /* ... since then */
} Job;

/* A zone in which a job may be able to start; or `cmd` has one job less. */
typedef struct Settle {
    uint32_t zone_idx;
    Cmd *cmd;
} Settle;

/*
 * What backs a zone: the same number of blocks on each unit of a group.
 * Superblock s lies where zone s would.
 */
typedef enum Pool {
    POOL_FREE,
    POOL_ERASING,
    POOL_DIRTY,
    POOL_MAPPED,
} Pool;

typedef struct Backing {
    Pool pool;
    uint64_t since_seq;     /* in this pool */
    uint8_t *dirty;         /* [unit of the group * blocks + block] */
    uint32_t *erases_of;    /* likewise */
    uint64_t erases;        /* of all its blocks */
    Job *eraser;
} Backing;

typedef enum StepKind {
    STEP_HAND_OFF,      /* the front end has taken its first command in */
    STEP_ARRIVED,       /* the first portion on the link has come */
    STEP_ANSWER,        /* a command's latency is over */
    STEP_LEAVE,         /* a command is done */
    STEP_PART_DONE,     /* a sub-page piece has been transferred */
    STEP_ISSUED,        /* a program may ask for its channel */
    STEP_PROGRAM_JOIN,  /* a page has been transferred */
    STEP_PROGRAM_END,
    STEP_RELEASE,       /* some of what was programmed leaves the buffer */
    STEP_COMMAND,       /* a read's command has crossed its channel */
    STEP_SENSE_END,
    STEP_ERASE_END,
    STEP_VISIT,         /* a reset asks for a unit for a short while */
    STEP_VISIT_END,
    STEP_OWN_END,       /* a program of the drive's own has ended */
    STEP_SUSPEND,       /* a unit's array is free for reads */
    STEP_RESET,         /* the reset that is managed goes on */
    STEP_WAKE,          /* a job goes on, after all else at this time */
} StepKind;

typedef struct Step {
    StepKind kind;
    uint64_t at_ns;
    uint64_t seq;
    Cmd *cmd;
    Job *job;
    uint32_t zone_idx;
    uint32_t life;
    uint64_t page;
    uint64_t from;          /* of a read: the first byte in its page */
    uint64_t until;         /* ... and behind the last one */
    uint64_t bytes;         /* of a read: what the host gets of it */
    AheadLine *line;        /* that is fetched, for no command */
    uint64_t transfer_ns;
    uint64_t crosses;       /* bytes; of a read, whole granules */
    uint64_t program_seq;
    int superblock;         /* that backs its zone when it is issued */
    bool is_first;          /* an erase that only a reset of it waits for */
    uint32_t unit;          /* at whose array it is, or that holds its data */
    uint32_t channel;       /* of a program; of what crosses one: that one */
    bool data;              /* of a program: the host's, ... */
    bool buffered;          /* ... out of the write buffer */
    bool commanded;         /* a read: its command has crossed */
    bool sensed;            /* the data of a read */
    bool holds_unit;        /* on a channel, and the array waits for it */
    uint64_t visit;         /* to an array */
    bool pending;           /* the step of its end, which moves, is known */
    bool cleans;            /* for no command, but to have a line free */
} Step;

/* A page in a plane's register; of none, `until` is 0. */
typedef struct Register {
    int superblock;
    uint64_t page;
    uint64_t from;          /* of what is sensed at once */
    uint64_t until;
} Register;

/* A flash unit: the steps that wait for it; their at_ns is a duration yet. */
typedef struct Unit {
    GQueue visits;      /* Step */
    GQueue reads;       /* Step; if they go first */
    GQueue works;       /* Step */
    GQueue loads;       /* Step: programs that wait for a register */
    GQueue coming;      /* Step: programs on their way, erases behind them */
    unsigned loaded;    /* registers that are taken */
    unsigned reads_served;  /* in a row, that sensed */
    uint64_t reread_bytes;  /* by the others */
    uint64_t row_from_ns;   /* when the first of those that sensed began */
    bool owned;         /* by a program of the drive's own */
    bool busy;
    Step running;
    uint64_t until_ns;
    bool suspending;    /* at point_ns, ... */
    uint64_t point_ns;
    uint64_t drawn;     /* segments in all stretches before this one */
    uint64_t passed;    /* segments of this stretch */
    bool suspended;     /* since then: ... */
    Step rest;          /* ... this is still to be done, ... */
    uint64_t rest_ns;   /* ... for so long */
    uint64_t resumed_at_ns; /* until then what runs is being resumed */
    Register reg[8];    /* one for each plane */
    Register asked[8];  /* what they will hold for the next read */
} Unit;

/* A page that is to be given to its unit, and since when. */
typedef struct Complete {
    uint64_t page;
    uint64_t seq;
    uint32_t line;          /* of the log, ... */
    bool moved;             /* ... and whether cleaning waits for it */
} Complete;

/* A zone's data in the buffer, counted in bytes from its start. */
typedef struct ZoneBuffer {
    uint64_t arrived;
    uint64_t gone;          /* of these: given to a unit, or dropped */
    GArray *complete;       /* Complete */
    uint64_t next_page;     /* to be complete */
    unsigned programming;   /* pages given, not programmed yet */
    Job *fill;              /* has pages to be given behind these, ... */
    GArray *to_fill;        /* ... uint64_t, the next of them, ... */
    uint64_t fill_seq;      /* ... since then */
    bool failed;
    uint64_t asks_since;    /* for a seat; 0: it does not */
    bool seated;
} ZoneBuffer;

/* Pages of a zone that wait for a unit, with the next of them. */
typedef struct Waiter {
    uint32_t zone_idx;
    uint32_t strand;
    uint32_t unit;
    uint32_t writers;       /* zones that wrote when it came to wait, ... */
    uint32_t passed;        /* ... and the host's pages at the unit since */
} Waiter;

/* What a unit has programmed and the buffer still holds: `left` shares. */
typedef struct Releasing {
    uint32_t zone_idx;
    uint32_t unit;
    uint64_t from_ns;
    uint64_t left;
} Releasing;

/* Commands of a zone that wait, and since when it is its turn. */
typedef struct Line {
    GQueue waiting;         /* Cmd */
    bool aside;             /* its zone has no room */
    uint64_t since;
} Line;

/* With take-turns: lines, `group_lines` of each namespace. */
typedef struct Turns {
    uint32_t line_count;    /* 0: none take turns */
    uint32_t group_lines;
    Line *line;
    uint64_t group_since[MODEL_MAX_NAMESPACES + 1];
    uint64_t now;
} Turns;

/* Data of a write on the link. */
typedef struct Portion {
    Cmd *cmd;
    uint64_t bytes;
    uint64_t at_ns;
    bool last;
} Portion;

typedef struct HostProgram {
    uint64_t seq;
    uint32_t unit;
} HostProgram;

/* A flush, that waits for all host programs before it. */
typedef struct Waiting {
    uint64_t seq;
    Cmd *cmd;
} Waiting;

/* A line of the log: a block on every unit. */
typedef struct LogLine {
    uint64_t used;          /* places that have been written */
    uint64_t free_since;
    uint32_t life;          /* erases that have begun */
    uint8_t *programmed;    /* [page] */
    int64_t *holds;         /* [place]: granule, or -1 */
} LogLine;

/* The unit of its mapping. */
#define GRANULE 4096

/* The conventional namespace; its index is that of a zone behind all zones. */
typedef struct Log {
    uint32_t idx;
    bool buffered;          /* its writes go through the write buffer */
    uint64_t granules;
    uint64_t line_pages;
    uint64_t line_places;
    uint32_t line_count;
    LogLine *line;
    uint64_t now;
    uint64_t *newest;       /* [granule]: Cmd.seq of a write to come; or 0 */
    GQueue writes;          /* Cmd that have not written all yet */
    uint64_t promised;      /* places, to what comes into the buffer */
    int victim;             /* line that is being cleaned, or -1: ... */
    uint64_t row;           /* ... this row of it, ... */
    bool reads;             /* ... is being read, or written; ... */
    bool erases;            /* ... or all is over but its erases */
    uint64_t pending;       /* steps of that */
    uint64_t host_bytes;
    uint64_t moved_bytes;
    uint64_t program_count;
    uint64_t erase_count;
} Log;

typedef enum Phase {
    PHASE_DRAINED,
    PHASE_UNMAPPED,
    PHASE_COMMITTED,
    PHASE_VISITED,
} Phase;

struct Model {
    SsdParams p;
    uint32_t ns_count;      /* with the conventional namespace, the last */
    Rules *rules[MODEL_MAX_NAMESPACES + 1];
    Log log;
    uint64_t now_ns;
    bool wrote;             /* a write has been handed off, last: */
    uint64_t wrote_at_ns;
    uint64_t seq;
    uint64_t zone_pages;
    uint64_t sense_bytes;   /* of a page, at a time */
    uint64_t part_bytes;    /* what is a page to the parameters */
    uint32_t zone_units;
    uint32_t unit_count;
    uint64_t *channel_ns;
    unsigned *crossing;     /* per channel: steps that are on it */
    GQueue *lines;          /* per channel: Step, those that wait for it */
    Unit *unit;
    uint8_t **programmed;   /* per zone, per page of its present life */
    uint8_t **used;         /* likewise: given to the flash, till its erase */
    uint32_t *life;         /* per zone: resets handed off so far, ... */
    uint32_t *lives;        /* ... and submitted */
    uint64_t *host_bytes;   /* per zone: handed off in its present life */
    GArray *steps;
    GArray *host_programs;  /* HostProgram, those that have not ended */
    uint64_t *unit_programs_ended;
    GArray *flushes;        /* Waiting */
    unsigned *first_erases; /* per zone: of a first write from the buffer */
    GPtrArray *cmds;        /* Cmd: all that are inside */
    GQueue *zone_writes;    /* per zone: Cmd that have not written yet */
    GQueue *zone_jobs;      /* per zone, in order of submission */
    GQueue select_all;      /* Cmd, in order of submission */
    GQueue to_settle;       /* Settle, in order */
    bool settling;
    uint32_t group_count;
    uint64_t blocks;        /* of a superblock on each unit */
    GArray *backing;        /* Backing */
    int *backing_of;        /* per zone, or -1 */
    GQueue to_erase;        /* in the background: superblock + 1 */
    unsigned erasing;       /* in the background */
    unsigned host_io;       /* commands inside that move data */
    bool host_io_seen;
    uint64_t host_io_left_ns;
    GQueue done;            /* SsdDone */
    unsigned inflight;
    uint64_t senses_begun;
    uint64_t programs_ended;
    uint64_t erases_begun;  /* blocks that zones lie on */

    /* model_front.c */
    uint32_t *writes_ever;  /* per zone, as its namespace counts them */
    GQueue front;           /* Cmd; the first is being taken in */
    bool front_held;        /* at its hand-off, by the buffer */
    uint64_t front_free_ns;
    uint64_t front_due_ns;  /* hand-off of the first */
    uint64_t again_free_ns; /* what has arrived is done then */
    GQueue slotless;        /* Cmd: reads that wait before the front end */
    GQueue kept;            /* PartRead: ended, its slot may not be free yet */
    Turns read_turns;       /* the same, in turn */
    GQueue link;            /* Portion */
    uint64_t link_in_ns;    /* the link is busy until then */
    uint64_t link_out_ns;

    /* model_buffer.c */
    ZoneBuffer *buffer;     /* per zone */
    GQueue entering;        /* Cmd: writes that wait for room */
    Turns write_turns;      /* the same, in turn */
    GArray *waiters;        /* Waiter, first come first */
    GArray *releasing;      /* Releasing */
    uint64_t issue_ns;      /* the controller issues programs until then */
    uint64_t begun;         /* programs of the host since the drive's own */
    uint64_t program_count; /* under way on units, the drive's own too */

    /* model_ahead.c */
    Row *rows;
    uint64_t fetching;      /* lines */

    /* model_reset.c */
    GQueue resets;          /* Job; the first is being managed */
    Phase phase;            /* that begins with the next STEP_RESET */
    bool drain_waits;       /* until so many of the host's have ended on units: */
    uint64_t *drain_until;
    bool locked;            /* no program is given a register */
    bool draining;          /* what was complete before this goes first: */
    uint64_t drain_seq;
    uint64_t lock_from_ns;
    uint64_t lock_ns;
    uint64_t all_visits;    /* of the first reset, ... */
    uint64_t visits;        /* so far, ... */
    uint64_t visits_ended;
    uint32_t visit_unit;    /* of the next one */
};

typedef struct Place {
    uint32_t channel;
    uint32_t unit;
} Place;

/* model.c */
void model_add_step(Model *m, Step step);
/* The command's work begins: all before it have been handed off. */
void model_begin(Model *m, Cmd *cmd);
void model_part_done(Model *m, Cmd *cmd);
/* Data of a write are in the drive: all, or a portion. */
void model_arrived(Model *m, const Portion *portion);
/* May the first of a zone's writes that wait go on? */
bool model_may_write(const Model *m, uint32_t zone_idx);
void model_write_in_turn(Model *m, uint32_t zone_idx);
/* A reset: who waits to write has nothing to write any more. */
void model_discard_writes(Model *m, uint32_t zone_idx);
/* Is the write's place the buffer? */
bool model_uses_buffer(const Model *m, const Cmd *cmd);

/* model_programs.c */
/* Wait for the host's programs so far. Return: false if there are none. */
bool model_await_programs(Model *m, Cmd *cmd);
void model_host_program_begins(Model *m, uint64_t seq, uint32_t zone_idx,
                               uint64_t page);
/* How many of these are on the unit or wait for it? */
uint32_t model_host_programs_of(const Model *m, uint32_t unit);
void model_host_program_ended(Model *m, uint64_t seq);
void model_check_flushes(Model *m);

/* model_log.c */
void model_log_init(Model *m);
void model_log_free(Model *m);
LogLine *model_log_line(const Model *m, uint64_t place);
int64_t *model_log_holds(const Model *m, uint64_t place);
int64_t model_log_find(const Model *m, uint64_t granule);
void model_log_drop(Model *m, uint64_t granule);
uint64_t model_log_free_places(const Model *m);
/* The granule gets the next place. Return: that. */
uint64_t model_log_put(Model *m, uint64_t granule);
/* The line to clean, or -1. */
int model_log_victim(const Model *m);
void model_log_erased(Model *m, uint32_t line_idx);
void model_log_format(Model *m);

/* model_conv.c */
Rules *model_conv_rules(const Model *m, uint32_t lba_bytes);
SsdStatus model_conv_judge(const Rules *rules, const SsdCmd *cmd);
void model_conv_plan(Cmd *cmd, const SsdCmd *what, const Rules *rules);
void model_conv_begin(Model *m, Cmd *cmd);
/* Write what has a turn and a place; clean if few are left. */
void model_conv_go_on(Model *m);
void model_conv_arrived(Model *m, const Portion *portion);
/* What crosses the link of bytes that come into the buffer. */
uint64_t model_conv_carried(const Model *m, const Cmd *cmd, uint64_t bytes);
void model_conv_program_end(Model *m, const Step *step);
/* A step of cleaning has ended. */
void model_conv_cleaned(Model *m);

/* model_turns.c */
void model_turns_init(const Model *m, Turns *turns);
void model_turns_free(Turns *turns);
void model_turns_wait(Turns *turns, uint32_t line_idx, Cmd *cmd);
/* The line does not stand aside any more, if there are lines and it does. */
void model_turns_call_back(Turns *turns, uint32_t line_idx);
int model_turns_group(const Turns *turns);
bool model_turns_group_waits(const Turns *turns, uint32_t group);
Line *model_turns_line(const Turns *turns, uint32_t group);
/* The first of the group does a step, its last or not. */
Cmd *model_turns_step(Turns *turns, uint32_t group, bool last);

/* model_front.c */
/* `rules` may be NULL; the zone is as it was before the command. */
void model_front_cost(Model *m, Cmd *cmd, const SsdCmd *what,
                      const Rules *rules, uint64_t nlb);
/* It has been accepted: the next write to its zone is another one. */
void model_front_count(Model *m, const SsdCmd *what, const Rules *rules);
void model_front_enter(Model *m, Cmd *cmd);
void model_hand_off(Model *m);
void model_front_try(Model *m);
void model_front_again(Model *m, Cmd *cmd);
/* The command has ended: does it keep its slot? */
void model_front_ends(Model *m, const Cmd *cmd);
void model_front_left(Model *m);
void model_link_in(Model *m, Cmd *cmd, uint64_t bytes, bool last);
void model_link_arrived(Model *m);
void model_link_compare(Model *m, Cmd *cmd);
/* `sensed`: for this command alone, right now. */
void model_link_out(Model *m, Cmd *cmd, uint64_t bytes);

/* model_ahead.c */
void model_ahead_init(Model *m);
void model_ahead_free(Model *m);
/* The row of a read of the host; NULL: it has none. */
Row *model_ahead_read(Model *m, Cmd *cmd, const Piece *piece);
/* Has the row these bytes, or will it have them? */
bool model_ahead_serves(Model *m, Row *row, Cmd *cmd, uint64_t at,
                        uint64_t bytes);
void model_ahead_go_on(Model *m, Row *row);
void model_ahead_fetched(Model *m, AheadLine *line);
void model_ahead_forget(Model *m, uint32_t zone_idx);

/* model_seats.c: which zones may have parts of pages in the buffer */
/* A write has been handed off. */
void model_seats_ask(Model *m, const Cmd *cmd);
/* May the write come into the buffer? */
bool model_seats_let(const Model *m, const Cmd *cmd);
/* Does the zone give up its seat? `forced`: its part goes by itself. */
void model_seats_look(Model *m, uint32_t zone_idx, bool forced);

/* model_buffer.c */
void model_buffer_init(Model *m);
void model_buffer_free(Model *m);
void model_buffer_write(Model *m, Cmd *cmd);
void model_buffer_arrived(Model *m, uint32_t zone_idx, uint64_t bytes,
                          bool alive);
void model_buffer_fill(Model *m, Job *job);
/* Writes that find room come in; the front end goes on later. */
void model_buffer_take_in(Model *m);
/* Data of the log are there, and get their places now. */
void model_buffer_log_arrives(Model *m, uint64_t bytes);
/* A place of the log is filled there; does that complete its page? */
void model_buffer_log(Model *m, uint64_t place, bool ends_page, bool moved);
uint64_t model_buffer_taken(const Model *m);
guint model_buffer_waiters(const Model *m);
void model_buffer_programmed(Model *m, const Step *step);
void model_buffer_release(Model *m, uint32_t unit);
void model_buffer_forget(Model *m, uint32_t zone_idx);
void model_buffer_fail(Model *m, uint32_t zone_idx);
/* It has failed: what completes no page is thrown away. */
void model_buffer_drop_part(Model *m, uint32_t zone_idx);
/* Do all that can be done now: to be called after whatever happens. */
void model_buffer_look(Model *m);
/* Units take programs again. */
void model_buffer_unlocked(Model *m);
/* Of that, let in the writes for which there is room. */
void model_buffer_let_in(Model *m);

/* model_reset.c */
bool model_reset_costs(const Model *m);
void model_reset_begin(Model *m, Job *job);
/* Is the drain of the first reset over? */
void model_check_drain(Model *m);
void model_reset_step(Model *m);
void model_reset_visit(Model *m);
void model_reset_visited(Model *m);

/* model_times.c: how long an array takes. */
uint64_t model_read_ns(const Model *m, const Step *step);
uint64_t model_program_ns(const Model *m, const Step *step);
uint64_t model_least_program_ns(const Model *m);
/* How long the next segment of what a unit does is. */
uint64_t model_segment_ns(Model *m, uint32_t unit_idx);
void model_begin_stretch(Unit *unit);

/*
 * model_watch.c. Look after each change of rules; run at the time of the next
 * limit, when all steps up to then have been made.
 */
void model_watch_look(Model *m);
void model_watch_run(Model *m);

/* model_jobs.c */
/* The jobs of a finish or reset, submitted; of no command, handed off. */
void model_submit_jobs(Model *m, Cmd *cmd, bool fill, Rules *rules,
                       const RulesEffect *effect);
void model_hand_off_jobs(Model *m, Cmd *cmd);
/* Finish a zone of `rules` for no command. */
/* Is the controller's finish the last that waits or runs in the zone? */
bool model_excursion_inside(const Model *m, const Rules *rules,
                            uint32_t zone_idx);
void model_excursion(Model *m, Rules *rules, uint32_t zone_idx);
/* One of the job's operations has ended; it goes on. */
void model_job_advance(Model *m, Job *job);
void model_job_op_ended(Model *m, Job *job);
void model_job_woken(Model *m, Job *job);
/* What a reset costs beside erases is over. */
void model_job_erase(Model *m, Job *job);
void model_look_at(Model *m, uint32_t zone_idx);
void model_settle(Model *m);
/* Has the zone a reset that has not begun to erase? */
bool model_reset_waits(const Model *m, uint32_t zone_idx);

/* model_flash.c */
Place model_place(const Model *m, uint32_t zone_idx, uint64_t page);
/* On which unit of its group a page of a zone lies, and which that is. */
uint64_t model_position(const Model *m, uint32_t zone_idx, uint64_t page);
Place model_place_at(const Model *m, uint32_t group, uint64_t position);
/*
 * The step comes when its data, or the command of its read, have crossed the
 * channel for `take_ns`. A command begins when the channel is free, and so does
 * what comes behind one and was not sensed.
 */
void model_cross(Model *m, uint32_t channel, uint64_t take_ns, Step step);
/* A step that was on it has come, and what asks for it because of that has. */
void model_crossed(Model *m, uint32_t channel);

/* model_unit.c */
/* The array is free: what comes next? */
void model_unit_next(Model *m, uint32_t unit_idx);
/* Let `step` happen when its unit has worked on it for `take_ns`. */
void model_unit_join(Model *m, uint32_t unit_idx, uint64_t take_ns, Step step);
void model_unit_read(Model *m, Place where, Step step);
void model_unit_commanded(Model *m, Step step);
void model_unit_suspended(Model *m, uint32_t unit_idx);
/* Is this the end of what the array does, and has it not been put off? */
bool model_unit_ends(Model *m, const Step *step);
/* Would a program have a register at once? */
bool model_unit_takes(const Model *m, uint32_t unit_idx);
/*
 * The same for programs and erases, which an array does in the order of their
 * issue: a program is issued when it asks for a register, and joins when its
 * data are there; an erase joins when all programs issued before it have.
 */
void model_unit_arrived(Model *m, uint32_t unit_idx, uint64_t take_ns,
                        Step step);
void model_unit_erase(Model *m, uint32_t unit_idx, uint64_t take_ns,
                      Step step);
/*
 * Let a program's data cross the channel in `take_ns`, when there is a register
 * for them; at its end it gives that to the next.
 */
void model_unit_load(Model *m, Place where, uint64_t take_ns, Step step);
void model_unit_unload(Model *m, uint32_t unit_idx);
void model_unit_issued(Model *m, Step step);
void model_units_unlocked(Model *m);
/* A program has ended; one of the drive's own has. */
void model_program_ended(Model *m);
void model_own_ended(Model *m, uint32_t unit_idx);
void model_put_pages(Model *m, Cmd *cmd);
void model_commit_pages(Model *m, Cmd *cmd);
/* A page that is complete in the buffer. */
void model_put_buffered(Model *m, uint32_t zone_idx, const Complete *page);
/* Bytes [at, to) of a page of the log come to its end. */
void model_put_log(Model *m, Step step, uint64_t at, uint64_t to);
/* Bytes [at, to) of its zone, or line, which are sensed at once. */
void model_sense(Model *m, Step step, uint64_t at, uint64_t to);
void model_start_read(Model *m, Cmd *cmd, Piece piece);
void model_sense_line(Model *m, AheadLine *line, uint32_t zone_idx,
                      uint64_t at);
/* Is this byte of a zone in the flash? */
bool model_is_programmed(const Model *m, uint32_t zone_idx, uint64_t at);
void model_fill_page(Model *m, Job *job, uint64_t page);

/* model_erase.c */
void model_erase_init(Model *m);
void model_erase_free(Model *m);
/* The zone's blocks are dirty: the job erases them, or nobody yet. */
void model_erase_begin(Model *m, Job *job);
bool model_erase_has_more(const Model *m, const Job *job);
void model_erase_step(Model *m, Job *job);
void model_erase_end(Model *m, Job *job);
void model_background_ended(Model *m);
/* See that a page's block is erased before; `cmd` or `job` programs it. */
void model_before_program(Model *m, uint32_t zone_idx, uint64_t page, Cmd *cmd,
                          Job *job);

#endif
