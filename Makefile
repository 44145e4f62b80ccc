# SPDX-License-Identifier: GPL-2.0-or-later
#
# One name per thing a person wants; each is done by a script in scripts/.
# Variables given to make (make run JOB=my.fio) reach the script in its
# environment; the script's head says which it reads and what they mean, and
# from there "make help" and "make variables" have it.

.DEFAULT_GOAL := help
.PHONY: help deps core qemu guest run shell test test-fio-zbd fuzz docs clean
.PHONY: pictures variables states

.PHONY: figures validate evidence observations interference fit guest-table
.PHONY: bench bench-guest check-bare check-host check-kvm mutants sweep compare lock torture soak
.PHONY: mqssd closed-loop crash
.PHONY: gallery stacks zinc zone-finder
.PHONY: dist dist-sources oci

# A variable on the command line that nothing reads is a slip of the finger; one
# that its target does not take would leave what was asked for undone. (A make
# within another one has the variables of that.)
ASKED := $(strip $(foreach name,$(.VARIABLES),$(if \
	$(filter command,$(firstword $(origin $(name)))),$(name))))
SLIP := $(if $(ASKED),$(shell scripts/variables --for \
	"$(if $(filter 0,$(MAKELEVEL)),$(MAKECMDGOALS))" $(ASKED)))
ifneq ($(SLIP),)
$(error $(SLIP))
endif

# Where the builds and the results go; "make clean" leaves the results.
BUILDS := build build-bench build-core build-guest build-mutants build-qemu \
	build-states build-tests

help:
	@scripts/variables --targets

#: make run      boot Linux with a zoned drive, run fio on it, print a table and
#:               write a report; on a fresh machine this builds all it needs
#:               make run JOB=my.fio CONFIG=configs/tiny.cfg SET="channels=4"
#: make states   the states that runs with FROM= left for others; CLEAR=all, or
#:               CLEAR=NAME, removes them
#: make shell    the same guest with a login prompt
#: make test     all tests, or some stages
#: make variables   what every variable means
#: make fuzz     libFuzzer on TARGET=device|generic|core|trace|config for
#:               FUZZ_S=600 seconds (tests/fuzz/README.md)
#: make mutants  changes the program in small ways and says which of them no
#:               test sees (tests/mutants/README.md)
#: make soak     HOURS=24 of a drive's time under mixed load, failures and power
#:               cuts, verified, in bounded memory; CONFIG=, SET=, SEED=
#: make torture  kills QEMU and cuts the drive's power, KILLS=100 CUTS=100 times,
#:               and says what of a lasting drive is lost
#: make crash    cuts the drive's power at each point of a JOB where what lasts
#:               changes, or at CUTS=N of them, and has a guest run CHECK on what
#:               is left: JOB=jobs/crash/log.sh CHECK=jobs/crash/log-check.sh
#: make test-fio-zbd   fio's own tests of zoned drives, all of them, in the guest
#:
run:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/run

states:
	@scripts/states

shell:
	@scripts/deps qemu guest
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/shell

test:
	@scripts/test --list >/dev/null
	@scripts/deps core qemu guest report fit sweep python test mutants
	@scripts/test

variables:
	@scripts/variables

test-fio-zbd:
	@scripts/deps qemu guest report
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/build-fio-zbd
	@tests/guest/fio_zbd.py

fuzz:
	@scripts/deps core qemu test
	@scripts/fuzz "$${TARGET:-device}" "$${FUZZ_S:-600}"

soak: core
	@scripts/soak

torture:
	@scripts/deps qemu
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/torture

crash:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/crash

mutants:
	@scripts/deps core qemu test mutants
	@scripts/mutants

#: make figures  the papers' figures, drawn anew by the simulator, with a table
#:               of theirs, ours and the error; out/figures/index.html
#:
figures: core
	@scripts/deps report
	@scripts/figures

#: make validate  every measured point of a drive beside the model's;
#:               out/validate/report.html
#: make evidence  what supports the ZN540's model: the drive's repeatability,
#:               order of pairs, hold-outs, what each parameter is worth
#: make observations  what two papers observed on the ZN540, checked on ours,
#:               in a guest too if it is built
#: make interference  how much finish and reset disturb I/O, both drives
#: make mqssd    what models for the design of algorithms (DAM, PDAM, Affine,
#:               MQSSD) make of the drive, in the guest; out/mqssd/
#: make zone-finder   which zones share units, found in the guest from latencies
#:               alone, on drives of every kind, scored; out/zone-finder/
#: make zinc     resets beside writers, by mq-deadline and by ZINC, an I/O
#:               scheduler built for the guest's kernel; out/zinc/
#: make gallery  every figure and table of five papers, theirs beside ours, or why
#:               not; docs/gallery.md; SHORT=1: those that take seconds
#: make stacks   what Linux' storage stacks and I/O schedulers cost, in
#:               instructions a read, and what they make of the drive; out/stacks/
#: make fit      parameters of a drive from your own measurements:
#:                 FIT="--points=mine.csv --config=mine.cfg --fit=read-ns,..."
#: make closed-loop   a drive with hidden parameters, measured in a guest
#:               (scripts/measure), fitted, and compared; out/closed-loop/
#: make guest-table   measured points again, in the guest: drive, device,
#:               simulator and fio side by side; out/guest-table/
#: make sweep    every point of a PLAN, in the simulator or in a guest, and a page
#:               that compares them; what is known is not run again
#: make compare  runs side by side: RUNS="out/a out/b"; out/compare/index.html
#: make bench    how fast the model is on this machine
#: make bench-guest   what a guest's I/O costs on this machine, beside QEMU's own
#:               nvme: latency, rate, processor time
#: make check-host    what this machine can hold in real time: rates, how late
#:               completions are, and the dilation that makes that small
#: make check-bare    a guest without an operating system, by KVM or ACCEL=tcg:
#:               data, interrupts and times of a drive with a thread and without
#: make check-kvm     the protocol for a host with KVM: do guests work there, and
#:               what does their I/O cost
#:
validate: core
	@scripts/deps report
	@scripts/validate

evidence: core
	@scripts/deps report
	@scripts/evidence

observations: core
	@scripts/deps report
	@scripts/observations

interference: core
	@scripts/deps report
	@scripts/interference

fit: core
	@scripts/deps report
	@scripts/femu-fit $(FIT)

closed-loop: core
	@scripts/deps qemu guest report
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/closed-loop

guest-table: core
	@scripts/deps qemu guest report
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/guest-table

mqssd:
	@scripts/deps qemu guest report fit
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/mqssd

zone-finder:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/zone-finder

zinc:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/zinc

# What SHORT=1 runs is in the simulator alone.
gallery:
	@scripts/deps report fit
	@scripts/build-core --simulator
ifneq ($(SHORT),1)
	@scripts/deps qemu guest
	@scripts/build-qemu
	@scripts/build-guest
endif
	@scripts/gallery

stacks:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/stacks

compare:
	@scripts/deps report
	@scripts/compare

dist: core
	@scripts/deps qemu guest
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/dist

dist-sources:
	@scripts/dist-sources

oci:
	@scripts/deps oci
	@scripts/oci

sweep: core
	@scripts/deps sweep
	@scripts/sweep

bench:
	@scripts/deps core
	@scripts/bench

check-host:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/check-host

check-bare:
	@scripts/deps qemu guest
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/check-bare

check-kvm:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/check-kvm

bench-guest:
	@scripts/deps qemu guest
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@scripts/bench-guest

#: make dist     an archive of all that is built, which runs on any x86-64 Linux:
#:               no root, no network, no compiler
#: make dist-sources   lists, or downloads, the sources of all that it has in it
#: make oci      a container's image of the archive, and a recipe for Apptainer
#: make qemu     QEMU with the drive, in build-qemu/
#: make guest    the guest's kernel and image, in build-guest/
#: make core     the drive's model and its simulator alone, in build-core/
#: make lock     packages.lock anew: the versions and hashes of Debian's packages
#:               that all of this is made of
#: make docs     docs/parameters.md from the table in hw/femu/params.h
#: make pictures docs/img/report.png, the table of README.md and the blame of
#:               docs/simulator.md, of one run
#: make deps     install the Debian packages that all of this needs
#: make clean    remove what was built, but not the results in out/
qemu:
	@scripts/deps qemu
	@scripts/build-qemu

guest:
	@scripts/deps guest
	@scripts/build-guest

core:
	@scripts/deps core
	@scripts/build-core

lock:
	@scripts/deps guest
	@scripts/lock

docs: core
	@build-core/tools/femu-sim params --markdown >docs/parameters.md.new
	@mv docs/parameters.md.new docs/parameters.md

# Of one run with nothing changed, whatever the environment says.
pictures:
	@scripts/deps qemu guest report
	@scripts/build-core --simulator
	@scripts/build-qemu
	@scripts/build-guest
	@env -u JOB -u CONFIG -u SET -u TIME -u DILATION -u OUT scripts/run
	@scripts/pictures

deps:
	@scripts/deps core qemu guest report fit sweep python test mutants

clean:
	rm -rf $(BUILDS)
