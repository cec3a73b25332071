# make test is everything that must hold before a change goes in; .ci/run calls
# it and nothing else. The other targets are for people.

SHELL      := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# Go keeps its caches under HOME. Where there is none, the account's own folder
# is used if it can be written to, else a throw-away one.
ifeq ($(strip $(HOME)),)
  export HOME := $(shell h=$$(getent passwd "$$(id -u)" 2>/dev/null | cut -d: -f6); \
	if [ -n "$$h" ] && [ -w "$$h" ]; then echo "$$h"; else mktemp -d; fi)
endif

# The toolchain of the machine is used as it is: nothing is downloaded in its place.
export GOTOOLCHAIN ?= local

PACKAGES  ?= ./...
FUZZTIME  ?= 30s
MAX_BYTES := 41943040 # 40 MB, the promise of the static binary
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help test prepare fmt vet staticcheck layers cross race nested tidy demo soak fuzz bench build

help: ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

test: prepare fmt vet staticcheck layers cross race nested tidy demo ## everything that must hold
	@echo "make test: all passed"

prepare: ## install what the tests need, or say what is missing
	@.ci/prepare

fmt: ## gofmt finds nothing to do
	@echo "== gofmt"
	@bad=$$(git ls-files -co --exclude-standard '*.go' 2>/dev/null | grep -v /testdata/ | xargs -r ls 2>/dev/null | xargs -r gofmt -l); \
	if [ -n "$$bad" ]; then echo "not gofmt'ed:"; echo "$$bad"; exit 1; fi

vet: ## go vet, for this machine
	@echo "== go vet"
	@go vet $(PACKAGES)

staticcheck: ## staticcheck, at the version that go.mod pins
	@echo "== staticcheck"
	@go tool staticcheck $(PACKAGES)

layers: ## who may import whom, package docs, house rules
	@echo "== layers and house rules"
	@CI=true go test .

# Every system is vetted whole, tests included: what builds on one only is found
# before anyone else finds it.
cross: ## go vet for linux, darwin and windows on amd64 and arm64
	@for p in $(PLATFORMS); do \
		echo "== go vet for $$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go vet $(PACKAGES); \
	done

# A test that skips for want of something fails here: CI=true makes it so.
race: ## all tests, with the race detector
	@echo "== go test -race"
	@CI=true CGO_ENABLED=1 go test -race -timeout 15m $(PACKAGES)

# Providers whose modules nobody else should link are modules of their own.
nested: ## the modules below this one that users import
	@echo "== nested modules"
	@cd provider/bedrock && go vet ./... && CI=true go test ./...

tidy: ## go.mod and go.sum are as go mod tidy would leave them
	@.ci/tidy

demo: ## the main job, asserted act by act
	@echo "== toolpost demo --check"
	@go run ./cmd/toolpost demo --check

soak: ## the long tests: crashes, kills, many runs
	@TOOLPOST_SOAK=1 AUDIT_CRASHES=1000 CGO_ENABLED=1 go test -race -count=1 -timeout 2h $(PACKAGES)

fuzz: ## every fuzz test for FUZZTIME each (30s)
	@for pkg in $$(go list $(PACKAGES)); do \
		for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$f"; \
			go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -parallel 1 $$pkg; \
		done; \
	done

bench: ## the table of docs/benchmarks.md, beside the peers
	@go run ./bench/...

build: ## dist/toolpost: static, stripped, with its size
	@mkdir -p dist
	@CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o dist/toolpost ./cmd/toolpost
	@size=$$(stat -c %s dist/toolpost 2>/dev/null || stat -f %z dist/toolpost); \
	echo "dist/toolpost: $$((size / 1048576)).$$((size % 1048576 * 10 / 1048576)) MB"; \
	if [ "$$size" -gt $(MAX_BYTES) ]; then echo "more than the 40 MB that are promised"; exit 1; fi
