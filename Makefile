# The commands of this repository; `make help` lists them. They run swift and scripts.

PORT ?= 7777
ROWS ?= 1000000
RATE ?= 10000
SEEDS ?= 10000
FAULTS ?= 1000
RESTARTS ?= 1000
PLUGINS ?= 20
MINUTES ?= 30

.PHONY: help run run-market dev check test test-all simulate chaos restart-sources mutants lint format bench bench-page soak-page coverage fuzz storm cluster soak sanitize autobahn slowhttp tls timing

help: ## List the commands.
	@echo "Rowcast: live tables in the browser. Commands:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'
	@echo "Choices: PORT=$(PORT) ROWS=$(ROWS) RATE=$(RATE) SEEDS=$(SEEDS), as in: make run PORT=8080"

run: ## Serve the processes of this machine at http://127.0.0.1:PORT/ (installs dependencies).
	@scripts/setup run
	@swift build -c release --product processes
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@exec .build/release/rowcast serve --port $(PORT)

run-market: ## Serve a synthetic market of ROWS prices with RATE changes per second.
	@scripts/setup run
	@swift build -c release --product market
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@exec .build/release/rowcast serve --port $(PORT) --plugin market --set market.rows=$(ROWS) --set market.rate=$(RATE)

dev: ## Serve a debug build with the page from web/; rebuild and restart on every change.
	@scripts/setup run
	@exec env PORT=$(PORT) scripts/dev

check: ## Run the checks that take seconds: format, tidy rules, the page's types and unit tests.
	@swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests Benchmarks
	@Tests/Tidy/check
	@Tests/Tidy/types
	@find Tests/web -name '*.test.mjs' | sort | xargs node --test --test-reporter=dot

test: ## Run the tests that a change must pass (installs dependencies).
	@scripts/setup test
	@scripts/test

test-all: ## Run the same, then the browser tests in Firefox and 2,000 simulations.
	@scripts/setup test
	@scripts/test --all

simulate: ## Run SEEDS seeds of the simulation (SEED=n for one).
	@scripts/setup run
	@ROWCAST_CHECK=1 ROWCAST_SEEDS=$(SEEDS) ROWCAST_SEED=$(SEED) swift test -c release -Xswiftc -enable-testing \
		--scratch-path .build-simulate --filter '^SimulationTests\.'

chaos: ## Measure single faults, then FAULTS random ones over PLUGINS plugins (SEED=n repeats a run).
	@scripts/setup run
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@Benchmarks/chaos/figures
	@Benchmarks/chaos/run --faults $(FAULTS) --plugins $(PLUGINS) $(if $(SEED),--seed $(SEED))

restart-sources: ## Restart sources, their servers and Rowcast RESTARTS times (SEED=n repeats a run).
	@scripts/setup test
	@swift build -c release
	@Tests/Sources/restarts/run --restarts $(RESTARTS) $(if $(SEED),--seed $(SEED))

mutants: ## Plant small bugs and check that tests find each (MUTANTS="--missed" for the rest).
	@scripts/setup run
	@Tests/Mutants/run $(MUTANTS)

lint: ## Report violations of the format and the tidy rules.
	@swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests Benchmarks
	@Tests/Tidy/check

format: ## Format the Swift code.
	@swift format --in-place --parallel --recursive Package.swift Sources Plugins Tests Benchmarks

bench: ## Measure the workloads on Rowcast and its peers (BENCH="--only w2" for some).
	@scripts/setup run
	@swift build -c release --product market
	@swift build -c release --product rowcast-bench
	@swift build -c release --product viewers
	@swift build -c release --product lws-fanout
	@Benchmarks/run $(BENCH)

bench-page: ## Measure the page and its peers in a browser (BENCH="--only s1,s4 --runs 1" for some).
	@scripts/setup page
	@swift build -c release --product market
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@Benchmarks/page/run $(BENCH)

soak-page: ## Run the page for MINUTES at 10,000 updates per second; heap and nodes must not grow.
	@scripts/setup page
	@swift build -c release --product market
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@Benchmarks/page/run --soak --minutes $(MINUTES)

fuzz: ## Fuzz the decoders under AddressSanitizer (FUZZ="--runs 100000 --only child" for less).
	@scripts/setup run
	@Tests/Fuzz/run $(FUZZ)

storm: ## Test slow, reset and reconnecting clients (STORM="slow kills --kills 20" for some).
	@scripts/setup long
	@swift build -c release
	@Tests/Long/storm $(STORM)

cluster: ## Kill, pause, cut and restart publishers, relays and NATS (CLUSTER="--faults 100 --seed 7").
	@scripts/setup test
	@scripts/setup long
	@swift build -c release
	@.venv/bin/python Tests/Cluster/run $(CLUSTER)

soak: ## Connect and disconnect for an hour; memory must not grow (SOAK="--minutes 5" for less).
	@scripts/setup long
	@swift build -c release
	@Tests/Long/soak $(SOAK)

sanitize: ## Run the Swift tests under ThreadSanitizer and AddressSanitizer.
	@scripts/setup run
	@Tests/Long/sanitize $(SANITIZE)

autobahn: ## Test conformance to RFC 6455 (the Autobahn suite itself needs Python 2.7).
	@scripts/setup run
	@Tests/Long/autobahn $(AUTOBAHN)

slowhttp: ## Attack with a thousand slow connections; a good client must be served promptly.
	@scripts/setup long
	@swift build -c release
	@Tests/Long/slowhttp $(SLOWHTTP)

tls: ## Check the server's TLS with testssl.sh.
	@scripts/setup long
	@swift build -c release
	@Tests/Long/tls

timing: ## Check that comparing tokens takes constant time, by counting instructions.
	@scripts/setup long
	@swift build -c release
	@Tests/Long/timing

coverage: ## Report the engine's test coverage; fail below 95 %.
	@scripts/setup run
	@Tests/Coverage/report
