# This source file is part of Hoard, the caching toolkit for Swift.
# SPDX-License-Identifier: Apache-2.0
#
#   make run     set up, build in release, start a demo origin and the proxy in front of it
#   make test    set up, build and run every test
#   make test-optimised the same with what is tested optimised, and the checks of debug builds left in it
#   make test-release   the same with nothing but what users have: no checks, and optimised tests; takes the longest to build
#                       HOARD_TEST_TARGETS="HoardTests …" has any of these build only some test targets
#   make test-macros the tests of the plugin of @Cached: what it writes, reports and remedies; builds swift-syntax once more, for two minutes
#   make apple-check    check that the sources compile for macOS and iOS, with the modules of `make test`; Linux only
#   make docs    make the documentation with DocC; fails if DocC warns, or a public symbol has no doc comment
#   make lint    check the format, the licence headers and the dashboard's page
#   make format  rewrite the sources in the project's format
#   make bench   build the benchmarks in release and run them; BENCH="--quick" passes options on,
#                BENCHMARK=disk-benchmarks measures the disk store, tiered-benchmarks the tiered cache

SWIFT ?= swift
# Where `make run` listens, such as 127.0.0.1:8080. By default port 8080, or any free port if that is taken.
LISTEN ?=
# Options of `swift build` for `make test`.
BUILD_OPTIONS ?=
# The program that `make bench` runs: hoard-benchmarks, disk-benchmarks, tiered-benchmarks or lock-benchmarks.
BENCHMARK ?= hoard-benchmarks
# Its options, such as --filter get-hit.
BENCH ?=

.PHONY: run test test-optimised test-release test-macros build apple-check docs lint format bench setup clean

run: setup
	$(SWIFT) build --configuration release --product hoard --traits Command
	@exec "$$($(SWIFT) build --configuration release --show-bin-path --traits Command)/hoard" demo $(if $(LISTEN),--listen $(LISTEN))

test: setup
	$(SWIFT) build --build-tests $(BUILD_OPTIONS)
	@SWIFT="$(SWIFT)" Scripts/test

test-optimised: setup
	@SWIFT="$(SWIFT)" Scripts/checked build --build-tests
	@SWIFT="$(SWIFT)" Scripts/test --checked

# The tests look at what is internal, so that has to be told, too.
RELEASE := --configuration release -Xswiftc -enable-testing --scratch-path .build-release-tests

test-release: setup
	$(SWIFT) build --build-tests $(RELEASE)
	@SWIFT="$(SWIFT)" HOARD_TEST_MINUTES="$${HOARD_TEST_MINUTES:-120}" Scripts/test $(RELEASE)

test-macros:
	$(SWIFT) test --package-path Tests/HoardMacroPluginTests

build: setup
	$(SWIFT) build --build-tests

apple-check:
	@Scripts/apple-check

docs:
	@SWIFT="$(SWIFT)" Scripts/documentation

lint:
	@Scripts/lint

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Scripts/apple-stubs \
		Benchmarks/DiskCandidates/Package.swift Benchmarks/DiskCandidates/Sources Benchmarks/DiskCandidates/Tests \
		Examples/*/Package.swift Examples/*/Sources Examples/*/Tests

bench:
	$(SWIFT) run --configuration release --package-path Benchmarks $(BENCHMARK) $(BENCH)

setup:
	@Scripts/setup

clean:
	$(SWIFT) package clean
