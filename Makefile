# This source file is part of Hoard, the caching toolkit for Swift.
# SPDX-License-Identifier: Apache-2.0
#
#   make run     set up, build in release, start a demo origin and the proxy in front of it
#   make test    set up, build and run every test
#   make lint    check the format and the licence headers
#   make format  rewrite the sources in the project's format

SWIFT ?= swift
# Where `make run` listens, such as 127.0.0.1:8080. By default port 8080, or any free port if that is taken.
LISTEN ?=

.PHONY: run test build lint format setup clean

run: setup
	$(SWIFT) build --configuration release --product hoard
	@exec "$$($(SWIFT) build --configuration release --show-bin-path)/hoard" demo $(if $(LISTEN),--listen $(LISTEN))

test: setup
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build

build: setup
	$(SWIFT) build --build-tests

lint:
	@Scripts/lint

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

setup:
	@Scripts/setup

clean:
	$(SWIFT) package clean
