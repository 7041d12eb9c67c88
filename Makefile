# The commands of this repository. `make help` lists them; the work is done by swift and by scripts/.

PORT ?= 7777
ROWS ?= 1000000
RATE ?= 10000
SEEDS ?= 10000
FAULTS ?= 1000
PLUGINS ?= 20
MINUTES ?= 30

.PHONY: help run run-market dev check test simulate chaos mutants lint format bench bench-page soak-page coverage fuzz storm soak sanitize autobahn slowhttp tls timing

help: ## Lists the commands.
	@echo "Rowcast: live tables in the browser. Commands:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'
	@echo "Choices: PORT=$(PORT) ROWS=$(ROWS) RATE=$(RATE) SEEDS=$(SEEDS), as in: make run PORT=8080"

run: ## Shows the processes of this machine at http://127.0.0.1:PORT/ (installs what is missing).
	@scripts/setup run
	@swift build -c release --product processes
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@exec .build/release/rowcast serve --port $(PORT)

run-market: ## The same for a made-up market of ROWS prices with RATE changes a second.
	@scripts/setup run
	@swift build -c release --product market
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@exec .build/release/rowcast serve --port $(PORT) --plugin market --set market.rows=$(ROWS) --set market.rate=$(RATE)

dev: ## Serves a debug build with the page from web/, and builds and starts it again on every change.
	@scripts/setup run
	@exec env PORT=$(PORT) scripts/dev

check: ## Format, rules and the page's own tests: what takes seconds.
	@swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests Benchmarks
	@Tests/Tidy/check
	@find Tests/web -name '*.test.mjs' | sort | xargs node --test --test-reporter=dot

test: ## Runs every test there is (installs what is missing).
	@scripts/setup test
	@scripts/test

simulate: ## Runs SEEDS seeds of the simulation (SEED=n for one).
	@scripts/setup run
	@ROWCAST_CHECK=1 ROWCAST_SEEDS=$(SEEDS) ROWCAST_SEED=$(SEED) swift test -c release -Xswiftc -enable-testing \
		--scratch-path .build-simulate --filter '^SimulationTests\.'

chaos: ## What single faults of sources cost; then FAULTS kills, hangs, floods and garbage over PLUGINS plugins (SEED=n for the same again).
	@scripts/setup run
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@Benchmarks/chaos/figures
	@Benchmarks/chaos/run --faults $(FAULTS) --plugins $(PLUGINS) $(if $(SEED),--seed $(SEED))

mutants: ## Plants small bugs and shows that the tests find each (MUTANTS="--missed" for those not found yet).
	@scripts/setup run
	@Tests/Mutants/run $(MUTANTS)

lint: ## Says what swift format and the tidy rules would change.
	@swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests Benchmarks
	@Tests/Tidy/check

format: ## Brings the Swift code into shape.
	@swift format --in-place --parallel --recursive Package.swift Sources Plugins Tests Benchmarks

bench: ## Measures the workloads on Rowcast and on its peers, and prints the ratios (BENCH="--only w2" for some).
	@scripts/setup run
	@swift build -c release --product market
	@swift build -c release --product rowcast-bench
	@swift build -c release --product viewers
	@swift build -c release --product lws-fanout
	@Benchmarks/run $(BENCH)

bench-page: ## Measures the page and its peers in the same browser (BENCH="--only s1,s4 --runs 1" for some).
	@scripts/setup test
	@swift build -c release --product market
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@Benchmarks/page/run $(BENCH)

soak-page: ## MINUTES of the page at 10,000 updates a second: heap and nodes must not grow.
	@scripts/setup test
	@swift build -c release --product market
	@swift build -c release --product rowcast
	@scripts/bundle .build/release/web
	@Benchmarks/page/run --soak --minutes $(MINUTES)

fuzz: ## Feeds the decoders ten million inputs under AddressSanitizer (FUZZ="--runs 100000 --only child" for fewer).
	@scripts/setup run
	@Tests/Fuzz/run $(FUZZ)

storm: ## Slow pages, kills, resets, ten thousand pages that come back (STORM="slow kills --kills 20" for some).
	@scripts/setup long
	@swift build -c release
	@Tests/Long/storm $(STORM)

soak: ## An hour of coming and going; nothing may grow (SOAK="--minutes 5" for less).
	@scripts/setup long
	@swift build -c release
	@Tests/Long/soak $(SOAK)

sanitize: ## The tests of engine, wire, plugins and server under ThreadSanitizer and AddressSanitizer.
	@scripts/setup run
	@Tests/Long/sanitize $(SANITIZE)

autobahn: ## The cases of RFC 6455 by Autobahn's numbers, and the suite itself where there is a Python 2.7.
	@scripts/setup run
	@Tests/Long/autobahn $(AUTOBAHN)

slowhttp: ## A thousand slow connections by slowhttptest; a good client must not feel them.
	@scripts/setup long
	@swift build -c release
	@Tests/Long/slowhttp $(SLOWHTTP)

tls: ## What testssl.sh says of the server's TLS.
	@scripts/setup long
	@swift build -c release
	@Tests/Long/tls

timing: ## Counts the instructions of comparing tokens, which must not tell where they differ.
	@scripts/setup long
	@swift build -c release
	@Tests/Long/timing

coverage: ## Says how much of the engine the tests run, and fails below 95 %.
	@scripts/setup run
	@Tests/Coverage/report
