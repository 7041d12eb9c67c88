// swift-tools-version: 6.2
import PackageDescription

/// `ROWCAST_STRICT=1` makes every warning an error (CI). `ROWCAST_CHECK=1` compiles the invariant
/// checks into a release build too.
let isStrict = Context.environment["ROWCAST_STRICT"] == "1"
let isChecked = Context.environment["ROWCAST_CHECK"] == "1"

let swiftSettings: [SwiftSetting] =
  (isStrict ? [.treatAllWarnings(as: .error)] : [])
  + (isChecked ? [.define("CHECK_INVARIANTS")] : [.define("CHECK_INVARIANTS", .when(configuration: .debug))])

/// `ROWCAST_FAST_TESTS=1` optimizes everything but the tests in debug builds too, with all checks,
/// so that thousands of simulated runs take seconds instead of minutes, and tests of the page need
/// no build of their own. It is off by default because SwiftPM refuses a versioned dependency on a
/// package with unsafe flags.
let isFast = Context.environment["ROWCAST_FAST_TESTS"] == "1"
let sourceSettings = swiftSettings + (isFast ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : [])

/// `ROWCAST_FUZZ=1` compiles the decoders for libFuzzer, under AddressSanitizer, and the program
/// that drives them (Tests/Fuzz/run).
let isFuzzed = Context.environment["ROWCAST_FUZZ"] == "1"
let fuzzedSettings: [SwiftSetting] = isFuzzed ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : []
let fuzzer: [Target] =
  isFuzzed
  ? [
    .executableTarget(
      name: "rowcast-fuzz", dependencies: ["ListEngine", "ProcessSource", "SourceRuntime", "Wire"], path: "Tests/Fuzz",
      exclude: ["run"],
      swiftSettings: [.unsafeFlags(["-sanitize=address", "-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
  ] : []

let cSettings: [CSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []

let package = Package(
  name: "rowcast",
  products: [
    .executable(name: "rowcast", targets: ["rowcast"]),
    .library(name: "ListEngine", targets: ["ListEngine"]),
    .library(name: "ListTesting", targets: ["ListTesting"]),
    .library(name: "CListPlugin", targets: ["CListPlugin"]),
    .library(name: "ListPlugin", targets: ["ListPlugin"]),
    .executable(name: "logs", targets: ["LogsPlugin"]),
    .library(name: "processes", type: .dynamic, targets: ["ProcessesPlugin"]),
    .library(name: "load", type: .dynamic, targets: ["LoadPlugin"]),
    .library(name: "clock", type: .dynamic, targets: ["ClockPlugin"]),
    .library(name: "market", type: .dynamic, targets: ["MarketPlugin"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The engine: no I/O, no clock. Swift's conversions of numbers call `floor` and the like; the
    // engine imports nothing, so its target has to name their library.
    .target(
      name: "ListEngine", swiftSettings: sourceSettings + fuzzedSettings,
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "Wire", dependencies: ["ListEngine"], swiftSettings: sourceSettings + fuzzedSettings),
    // The order of texts in a language, by the ICU that comes with the toolchain.
    .target(
      name: "Locales", dependencies: ["ListEngine"], swiftSettings: sourceSettings,
      linkerSettings: [.linkedLibrary("_FoundationICU")]),

    // The lock of all targets.
    .target(name: "Threads", swiftSettings: sourceSettings + fuzzedSettings),

    // Plugins: the contract, the SDK for authors, and the host.
    .target(name: "CListPlugin", cSettings: cSettings),
    .target(name: "ListPlugin", dependencies: ["CListPlugin"], swiftSettings: sourceSettings),
    // What all sources share, and what runs them: text, programs, shared libraries.
    .target(
      name: "SourceRuntime", dependencies: ["CSimdjson", "CSystem", "ListEngine", "Threads", "Wire"],
      swiftSettings: sourceSettings + fuzzedSettings),
    .target(
      name: "TextSource", dependencies: ["ListEngine", "SourceRuntime", "Threads", "Wire"],
      swiftSettings: sourceSettings + fuzzedSettings),
    .target(
      name: "ProcessSource", dependencies: ["CSystem", "ListEngine", "SourceRuntime", "TextSource", "Threads", "Wire"],
      swiftSettings: sourceSettings + fuzzedSettings),
    .target(
      name: "LibrarySource",
      dependencies: [
        "CListPlugin", "CSystem", "ListEngine", "SourceRuntime", "Threads", "Wire",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: sourceSettings),
    // The examination of a plugin.
    .target(
      name: "PluginExam",
      dependencies: [
        "LibrarySource", "ListEngine", "ProcessSource", "SourceRuntime", "Threads", "Wire",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: sourceSettings),
    // What must be C: starting and confining programs, notes of crashes, digests, and two
    // workarounds in the C library.
    .target(name: "CSystem", cSettings: cSettings, linkerSettings: [.linkedLibrary("crypto")]),
    .target(
      name: "CSimdjson", cxxSettings: isStrict ? [.treatAllWarnings(as: .error)] : [],
      linkerSettings: [.linkedLibrary("simdjson")]),

    // The world.
    .systemLibrary(name: "CWebSockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
    .target(
      name: "Server",
      dependencies: [
        "CSystem", "CWebSockets", "ListEngine", "Locales", "Recording", "Threads", "Wire",
        .product(name: "DequeModule", package: "swift-collections"), .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: sourceSettings),
    .target(
      name: "Recording",
      dependencies: ["ListEngine", "Locales", "Threads", "Wire", .product(name: "Logging", package: "swift-log")],
      swiftSettings: sourceSettings),
    // The tables of other nodes, over NATS.
    .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .target(
      name: "Cluster",
      dependencies: [
        "CNats", "ListEngine", "Threads", "Wire", .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: sourceSettings),
    .target(name: "ListTesting", dependencies: ["ListEngine"], swiftSettings: sourceSettings),
    .executableTarget(
      name: "rowcast",
      dependencies: [
        "CSystem", "Cluster", "LibrarySource", "ListEngine", "Locales", "PluginExam", "ProcessSource", "Recording",
        "Server",
        "SourceRuntime", "TextSource", "Threads", "Wire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: sourceSettings),

    // Data sources.
    .target(name: "ProcessReader", path: "Plugins/processes/Reader", swiftSettings: sourceSettings),
    .target(
      name: "ProcessesPlugin", dependencies: ["ListPlugin", "ProcessHandle", "ProcessReader"],
      path: "Plugins/processes/Plugin", swiftSettings: sourceSettings),
    .target(name: "ProcessHandle", path: "Plugins/processes/Handle", cSettings: cSettings),
    .target(name: "LoadPlugin", dependencies: ["ListPlugin"], path: "Plugins/load", swiftSettings: sourceSettings),
    .target(
      name: "ClockPlugin", dependencies: ["CListPlugin"], path: "Plugins/clock", publicHeadersPath: ".",
      cSettings: cSettings),
    .target(name: "Quotes", path: "Plugins/market/Quotes", swiftSettings: sourceSettings),
    .target(
      name: "MarketPlugin", dependencies: ["ListPlugin", "Quotes"], path: "Plugins/market/Plugin",
      swiftSettings: sourceSettings),

    .executableTarget(
      name: "LogsPlugin", path: "Plugins/logs", exclude: ["README.md"],
      cxxSettings: isStrict ? [.treatAllWarnings(as: .error)] : [],
      linkerSettings: [
        .linkedLibrary("m"), .linkedLibrary("re2"), .linkedLibrary("simdjson"), .linkedLibrary("z"),
        .linkedLibrary("zstd"),
      ]),

    .executableTarget(
      name: "rowcast-bench",
      dependencies: [
        "LibrarySource", "ListEngine", "ProcessSource", "Quotes", "Server", "SourceRuntime", "Wire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Benchmarks/rowcast-bench", swiftSettings: swiftSettings),
    // The clients of W4, and what libwebsockets alone makes of such frames.
    .executableTarget(name: "viewers", path: "Benchmarks/viewers", cSettings: cSettings),
    .executableTarget(
      name: "lws-fanout", path: "Benchmarks/lws-fanout", cSettings: cSettings,
      linkerSettings: [.linkedLibrary("websockets"), .linkedLibrary("uv")]),

    .testTarget(name: "ListEngineTests", dependencies: ["ListEngine", "ListTesting"], swiftSettings: swiftSettings),
    .testTarget(
      name: "SimulationTests", dependencies: ["ListEngine", "ListTesting"], path: "Tests/Simulation",
      swiftSettings: swiftSettings),
    .testTarget(name: "LocalesTests", dependencies: ["Locales", "ListEngine"], swiftSettings: swiftSettings),
    .testTarget(name: "WireTests", dependencies: ["Wire", "ListEngine", "ListTesting"], swiftSettings: swiftSettings),
    .testTarget(
      name: "RecordingTests", dependencies: ["Recording", "ListEngine", "ListTesting"], swiftSettings: swiftSettings),
    .target(
      name: "SourceTesting", dependencies: ["ListEngine", "ProcessSource", "SourceRuntime"],
      path: "Tests/SourceTesting", swiftSettings: swiftSettings),
    .testTarget(
      name: "SourceRuntimeTests", dependencies: ["ListEngine", "SourceRuntime", "SourceTesting"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "TextSourceTests", dependencies: ["ListEngine", "SourceRuntime", "SourceTesting", "TextSource", "Threads"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ProcessSourceTests",
      dependencies: ["ListEngine", "ProcessSource", "SourceRuntime", "SourceTesting", "TextSource"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LibrarySourceTests",
      dependencies: [
        "CListPlugin", "LibrarySource", "ListEngine", "ListPlugin", "ProcessReader", "ProcessSource", "Quotes",
        "SourceRuntime", "SourceTesting", "Threads",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "PluginExamTests",
      dependencies: [
        "LibrarySource", "ListEngine", "PluginExam", "ProcessSource", "SourceRuntime", "SourceTesting",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ClusterTests", dependencies: ["Cluster", "ListEngine", "ListTesting"], swiftSettings: swiftSettings),
    .testTarget(
      name: "ServerTests", dependencies: ["Server", "CWebSockets", "ListEngine", "Threads", "Wire", "ListTesting"],
      swiftSettings: swiftSettings),
  ] + fuzzer,
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
