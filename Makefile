# A thin front: every target is one call of a script in scripts/ or of CMake. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help run test check build format lint fuzz coverage slow campaign campaign-wire mutations bench bench-aws bench-peers bench-prices bench-churn bench-sim cluster cluster-down bench-cluster chaos soak nine-days hand-over nightly old-objects aws-fake aws-wire aws-peer image install deb krew release clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## install what is missing, build, and run a day of a shop on the embedded cluster
	@scripts/run.sh

test: ## install what is missing and run everything that CI runs
	@scripts/setup.sh test
	@scripts/test.sh

check: ## the fast part: build with gcc, unit tests, layering
	@scripts/setup.sh build
	@scripts/test.sh layering gcc

build: ## build/release/tenon
	@scripts/setup.sh build
	@scripts/build.sh release

format: ## format the C sources in place
	@scripts/setup.sh test
	@find src tests bench -name '*.[ch]' -o -name '*.cpp' | xargs clang-format -i

lint: ## clang-tidy and cppcheck
	@scripts/setup.sh test
	@scripts/test.sh lint

slow: ## look for manifests that are slow to plan: make slow SECONDS=1800
	@scripts/build.sh release slow_inputs
	@build/release/tests/slow/slow_inputs --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1) tests/slow/seeds build/release/tests/slow

fuzz: ## fuzz each parser: make fuzz SECONDS=600
	@scripts/setup.sh test
	@scripts/build.sh fuzz fuzz_targets
	@tests/fuzz/run.sh $(or $(SECONDS),20) build/fuzz

coverage: ## run the unit tests and write build/coverage/report/index.html
	@scripts/setup.sh test
	@scripts/coverage.sh

aws-fake: ## the tests of the fake AWS, and of the client and bursts of launches against it; to run it by hand: tests/aws/fake/python.sh -m tests.aws.fake --port 4566
	@scripts/setup.sh test
	@tests/aws/fake/run.sh
	@scripts/build.sh release aws_client_driver aws_engine_driver
	@tests/aws/client/run.sh

campaign: ## random clusters with random faults: make campaign COUNT=2000 SEED=1
	@scripts/setup.sh build
	@scripts/build.sh release tenon
	@build/release/tenon sim --campaign $(or $(COUNT),2000) --seed $(or $(SEED),1)

campaign-wire: ## the same with tenon's AWS provider, over AWS's API in memory: make campaign-wire COUNT=500 SEED=1
	@scripts/setup.sh build
	@scripts/build.sh release tenon
	@build/release/tenon sim --campaign $(or $(COUNT),500) --seed $(or $(SEED),1) --aws-wire

mutations: ## break tenon's rules one by one, and see that the campaign notices
	@scripts/setup.sh build
	@tests/mutations/run.sh

bench: ## how long tenon's plans take, what they cost, how much memory they need
	@scripts/setup.sh build
	@scripts/bench.sh

bench-peers: ## the same beside Karpenter's own scheduler; writes bench/RESULTS.md
	@scripts/setup.sh test
	@scripts/bench.sh peers

bench-prices: ## prices on random clusters, tenon against Karpenter: make bench-prices CASES=500 HEAVY=yes
	@scripts/setup.sh test
	@CASES=$(or $(CASES),500) HEAVY=$(HEAVY) scripts/bench.sh prices

bench-aws: ## launches in a burst, 5,000 instances, a soak of 15 minutes, on a fake AWS; one of them: make bench-aws PART=burst FLAGS=
	@scripts/setup.sh test
	@bench/aws/run.sh $(or $(PART),all) $(FLAGS)

bench-churn: ## days of load that swings: how often consolidation takes back what it did, fleet search and classic
	@scripts/setup.sh build
	@scripts/build.sh release tenon
	@bench/churn/churn.py $(FLAGS)

bench-sim: ## a simulated day of 5,000 nodes and 100,000 pods: time and memory
	@scripts/setup.sh build
	@bench/sim/run.sh

cluster: ## a real Kubernetes control plane on loopback with tenon in it, to try things by hand
	@scripts/setup.sh test
	@scripts/build.sh release tenon
	@tests/e2e/cluster.py up

cluster-down: ## take it down
	@tests/e2e/cluster.py down

bench-cluster: ## 10,000 pods on a real control plane, Karpenter and tenon; more: make bench-cluster FLAGS="--pods 1000 --only tenon"
	@scripts/setup.sh test
	@bench/cluster/run.sh $(FLAGS)

chaos: ## kill -9 of tenon every 2 s for 5 minutes while 500 nodes are asked for, on a real control plane
	@scripts/setup.sh test
	@scripts/build.sh release tenon
	@tests/e2e/python.sh tests/e2e/chaos/run.py

soak: ## an ordinary life on a real control plane, in which memory and descriptors must not grow: make soak MINUTES=360
	@scripts/setup.sh test
	@scripts/build.sh release tenon
	@tests/e2e/python.sh tests/e2e/soak/run.py --minutes $(or $(MINUTES),10)

nine-days: ## nine days of the shop in one life of the embedded cluster, with what is held at the end of each
	@scripts/setup.sh test
	@scripts/build.sh release tenon-bench-sim
	@tests/e2e/python.sh bench/sim/nine_days.py

hand-over: ## 300 nodes go from Karpenter to tenon and back on a real control plane: none is replaced, no pod evicted
	@scripts/setup.sh test
	@scripts/build.sh release tenon
	@tests/e2e/python.sh bench/cluster/hand_over.py --karpenter "$$(bench/cluster/karpenter/build.sh | tail -n 1)" --nodes $(or $(NODES),300)

nightly: soak nine-days hand-over mutations image ## what CI has no time for, some hours: those, and 1,000 clusters of each campaign
	@$(MAKE) campaign COUNT=1000 SEED=$$(date +%Y%m%d)
	@$(MAKE) campaign-wire COUNT=500 SEED=$$(date +%Y%m%d)

old-objects: ## 5,000 random objects of 2023: converted, planned as an interpreter of them says, taken by an API server
	@scripts/setup.sh test
	@scripts/build.sh release tenon property_legacy
	@build/release/tests/property/property_legacy --cases $(or $(CASES),5000)
	@OLD_CASES=$(or $(CASES),5000) tests/e2e/run.sh tests/e2e/test_crds.py -k converted_objects

aws-wire: ## requests and replies of AWS's services against botocore: make aws-wire CASES=200 SEED=1
	@scripts/setup.sh test
	@scripts/build.sh release aws_wire_driver
	@tests/aws/wire/python.sh tests/aws/wire/compare.py build/release/tests/aws/wire/aws_wire_driver --cases $(or $(CASES),200) --seed $(or $(SEED),1)

aws-peer: ## what tenon and Karpenter's controller ask of AWS, on its fake
	@scripts/setup.sh test
	@scripts/build.sh release tenon
	@tests/aws/peer/run.sh

image: ## a container image in build/image/out, without a daemon; signed: make image KEY=release.pem
	@scripts/setup.sh package
	@scripts/image.sh

install: ## the program, man pages, completion, a systemd unit: make install DESTDIR= PREFIX=/usr/local
	@scripts/package.sh install

deb: ## a Debian package in build/package
	@scripts/setup.sh package
	@scripts/build.sh release tenon
	@scripts/package.sh deb
	@lintian --allow-root --fail-on error,warning build/package/*.deb

krew: ## archives and a manifest for kubectl's plugins: make krew URL=https://where.they/will/lie
	@scripts/setup.sh package
	@scripts/package.sh krew

release: ## all files of a release in build/release-files: make release URL=https://where.they/will/lie KEY=release.pem
	@scripts/setup.sh package
	@scripts/release.sh

clean: ## remove build/ (downloads in the cache folder stay)
	rm -rf build
