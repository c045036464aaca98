# This source file is part of Hoard, the caching toolkit for Swift.
# SPDX-License-Identifier: Apache-2.0
#
#   make run     set up, build in release, start a demo origin and the proxy in front of it
#   make test    set up, build and run every test
#   make lint    check the format and the licence headers
#   make format  rewrite the sources in the project's format
#   make bench   build the benchmarks in release and run them; BENCH="--quick" passes options on,
#                BENCHMARK=disk-benchmarks measures the disk store, tiered-benchmarks the tiered cache

SWIFT ?= swift
# Where `make run` listens, such as 127.0.0.1:8080. By default port 8080, or any free port if that is taken.
LISTEN ?=
# The program that `make bench` runs: hoard-benchmarks, disk-benchmarks, tiered-benchmarks or lock-benchmarks.
BENCHMARK ?= hoard-benchmarks
# Its options, such as --filter get-hit.
BENCH ?=

.PHONY: run test build lint format bench setup clean

run: setup
	$(SWIFT) build --configuration release --product hoard
	@exec "$$($(SWIFT) build --configuration release --show-bin-path)/hoard" demo $(if $(LISTEN),--listen $(LISTEN))

test: setup
	$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" Scripts/test

build: setup
	$(SWIFT) build --build-tests

lint:
	@Scripts/lint

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources \
		Examples/*/Package.swift Examples/*/Sources Examples/*/Tests

bench:
	$(SWIFT) run --configuration release --package-path Benchmarks $(BENCHMARK) $(BENCH)

setup:
	@Scripts/setup

clean:
	$(SWIFT) package clean
