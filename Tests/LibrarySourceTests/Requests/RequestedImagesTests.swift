import CListPlugin
import Foundation
import LibrarySource
import ListPlugin
import SourceTesting
import Testing

import Threads
import enum ListEngine.ImageOutcome

/// Image requests to shared libraries, through the Swift SDK and the bare C interface.
@Suite struct RequestedImagesTests {
  let recorder = Recorder()

  private static let faces = ListPlugin.Schema("faces", key: .text, columns: [Column("face", .image)])
  private static func stay(_ host: ListHost) throws { try host.wait(.seconds(1_000_000)) }

  private func source(_ images: ImageLoader?) throws -> PluginSource {
    let source = try Scripted.source(recorder, schema: Self.faces, images: images, run: Self.stay)
    try source.start()
    try recorder.wait("a table") { $0.schema != nil }
    return source
  }

  private func outcomes(_ view: Recorder.View) -> [UInt64: ImageOutcome] {
    view.events.reduce(into: [:]) { if case .image(let number, let outcome) = $1 { $0[number] = outcome } }
  }

  @Test func `reports an image's bytes, its absence or the thrown error`() throws {
    struct Torn: Error, CustomStringConvertible { let description = "the file is torn" }
    let source = try source(
      ImageLoader { request in
        switch request.key.text {
        case "smile\0ü": [0x47, 0x49, 0x46, 0, 255]
        case "empty": []
        case "none": nil
        default: throw Torn()
        }
      })
    #expect(recorder.view.schema?.loadsImages == true)
    for (number, key) in ["smile\0ü", "empty", "none", "torn"].enumerated() {
      source.send(.image(UInt64(number), key: key))
    }
    try recorder.wait("answers") { outcomes($0).count == 4 }
    #expect(
      outcomes(recorder.view) == [
        0: .bytes([0x47, 0x49, 0x46, 0, 255]), 1: .bytes([]), 2: .none, 3: .failed("the file is torn"),
      ])
    #expect(source.stop(within: .seconds(30)))
    #expect(recorder.log == [])
  }

  @Test func `an image over 512 KiB fails as too large`() throws {
    let source = try source(ImageLoader { [UInt8](repeating: 1, count: $0.key.text == "most" ? 524_288 : 524_289) })
    source.send(.image(1, key: "most"))
    source.send(.image(2, key: "more"))
    try recorder.wait("answers") { outcomes($0).count == 2 }
    #expect(outcomes(recorder.view)[1] == .bytes([UInt8](repeating: 1, count: 524_288)))
    #expect(outcomes(recorder.view)[2] == .failed("it is too large: 524289 bytes, at most 524288"))
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `a source without an image loader answers source down`() throws {
    let source = try source(nil)
    #expect(recorder.view.schema?.loadsImages == false)
    source.send(.image(1, key: "smile"))
    source.send(.cancelImages([1]))
    try recorder.wait("an answer") { outcomes($0).count == 1 }
    #expect(outcomes(recorder.view) == [1: .sourceDown])
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `never loads an image whose queued request is cancelled`() throws {
    let recorder = recorder
    let source = try source(
      ImageLoader(inFlight: 1) { request in
        recorder.note(.info, "loading \(request.key.text)")
        try recorder.wait("being let go") { $0.log.contains("go") }
        if request.isCancelled { recorder.note(.info, "\(request.key.text) is cancelled") }
        return [1]
      })
    for number: UInt64 in 1...4 { source.send(.image(number, key: "\(number)")) }
    try recorder.wait("the first") { $0.log == ["loading 1"] }
    source.send(.cancelImages([1, 2, 99]))
    // Requests are processed in order, so this one follows the cancellation.
    source.send(.load([.init(.text("a"), column: 0)]))
    try recorder.wait("the cancel") { view in
      view.events.contains { if case .notLoaded = $0 { true } else { false } }
    }
    recorder.note(.info, "go")
    try recorder.wait("the others") { outcomes($0).count == 2 }
    #expect(outcomes(recorder.view) == [3: .bytes([1]), 4: .bytes([1])])
    #expect(
      recorder.log == ["info: loading 1", "info: go", "info: 1 is cancelled", "info: loading 3", "info: loading 4"])
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `answers pending image requests with source down on stop`() throws {
    let recorder = recorder
    let source = try source(
      ImageLoader(inFlight: 1) { request in
        recorder.note(.info, "loading")
        while !request.isCancelled { sched_yield() }
        return [1]
      })
    for number: UInt64 in 1...2 { source.send(.image(number, key: "\(number)")) }
    try recorder.wait("a load") { $0.log == ["loading"] }
    #expect(source.stop(within: .seconds(30)))
    try recorder.wait("answers") { outcomes($0).count == 2 }
    #expect(outcomes(recorder.view) == [1: .sourceDown, 2: .sourceDown])
  }

  /// Invalid calls from C are refused with a log line.
  @Test func `refuses and logs invalid calls of the image extension`() throws {
    let recorder = recorder
    let answers = Guarded<[Int32]>([])
    let plugin = HandMade { host in
      let context = host.pointee.context
      let images = host.pointee.get_extension(context, LIST_IMAGES)!.assumingMemoryBound(to: list_images.self)
      let given = [
        images.pointee.offer(context, nil, nil), images.pointee.offer(context, { _, _ in }, nil),
        images.pointee.offer(context, { _, _ in }, nil), images.pointee.loaded(context, 1, nil, 0),
        images.pointee.loaded(context, 1, nil, 7), images.pointee.failed(context, 1, nil),
      ]
      answers.withLock { $0 = given }
    }
    let source = PluginSource(
      library: try PluginLibrary(plugin: plugin.plugin), name: "c", log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    #expect(source.stop(within: .seconds(30)))
    #expect(answers.withLock { $0 } == [2, 0, 2, 2, 2, 2])
    #expect(
      recorder.log == [
        "error: images: load is NULL", "error: images: images were offered before",
        "error: images: 1 was not asked for, or was answered before",
        "error: loaded: the bytes of image 1 are NULL, and 7 long",
        "error: images: 1 was not asked for, or was answered before",
      ])
  }
}
