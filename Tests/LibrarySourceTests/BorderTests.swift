import CListPlugin
import Foundation
import ListPlugin
import SourceTesting
import Testing

@Suite struct BorderTests {
  @Test func `the header compiles as C11 without warnings`() throws {
    try Workshop.withFolder { folder in
      try Workshop.run(
        Workshop.compiler(["cc", "clang"]),
        [
          "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", Workshop.include, "-c", "-o",
          folder.appending(path: "a.o").path, Workshop.root.appending(path: "Sources/CListPlugin/layout.c").path,
        ])
    }
  }

  @Test func `the header compiles as CXX17 without warnings`() throws {
    try Workshop.withFolder { folder in
      try Workshop.run(
        Workshop.compiler(["c++", "clang++"]),
        [
          "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", Workshop.include, "-x", "c++", "-c", "-o",
          folder.appending(path: "a.o").path, Workshop.root.appending(path: "Sources/CListPlugin/layout.c").path,
        ])
    }
  }

  @Test func `imported C structs have the expected sizes and offsets`() {
    #expect(MemoryLayout<list_cell>.size == 16)
    #expect(MemoryLayout<list_cell>.offset(of: \.length) == 4)
    #expect(MemoryLayout<list_plugin>.size == 72)
    #expect(MemoryLayout<list_host>.size == 72)
    #expect(MemoryLayout<list_batch>.size == 40)
    #expect(MemoryLayout<list_schema>.size == 72)
    #expect(MemoryLayout<list_column>.size == 48)
    #expect(MemoryLayout<list_argument>.size == 80)
    #expect(MemoryLayout<list_action>.size == 48)
    #expect(MemoryLayout<list_request>.size == 48)
    #expect(MemoryLayout<list_place>.size == 24)
    #expect(MemoryLayout<list_loader>.size == 48)
    #expect(MemoryLayout<list_image>.size == 24)
    #expect(MemoryLayout<list_images>.size == 32)
    let cell = list_text("abc")
    #expect(cell.length == 3)
    let words = withUnsafeBytes(of: list_integer(-2)) {
      ($0.load(as: UInt32.self), $0.load(fromByteOffset: 8, as: Int64.self))
    }
    #expect(words == (LIST_INTEGER.rawValue, -2))
  }

  @Test func `raw values of Swift enumerations equal the C constants`() {
    #expect(ColumnType.integer.rawValue == LIST_INTEGER.rawValue)
    #expect(ColumnType.number.rawValue == LIST_NUMBER.rawValue)
    #expect(ColumnType.text.rawValue == LIST_TEXT.rawValue)
    #expect(ColumnType.boolean.rawValue == LIST_BOOLEAN.rawValue)
    #expect(ColumnType.timestamp.rawValue == LIST_TIMESTAMP.rawValue)
    #expect(ColumnType.image.rawValue == LIST_IMAGE.rawValue)
    #expect(ColumnType.series.rawValue == LIST_SERIES.rawValue)
    #expect(ColumnStyle.bar.rawValue == LIST_STYLE_BAR.rawValue)
    #expect(ColumnStyle.badge.rawValue == LIST_STYLE_BADGE.rawValue)
    #expect(ColumnStyle.bytes.rawValue == LIST_STYLE_BYTES.rawValue)
    #expect(ColumnStyle.duration.rawValue == LIST_STYLE_DURATION.rawValue)
    #expect(ColumnStyle.age.rawValue == LIST_STYLE_AGE.rawValue)
    #expect(ColumnStyle.image.rawValue == LIST_STYLE_IMAGE.rawValue)
    #expect(ColumnStyle.sparkline.rawValue == LIST_STYLE_SPARKLINE.rawValue)
    #expect(ColumnStyle.link.rawValue == LIST_STYLE_LINK.rawValue)
    #expect(BetterDirection.higher.rawValue == LIST_BETTER_HIGHER.rawValue)
    #expect(BetterDirection.lower.rawValue == LIST_BETTER_LOWER.rawValue)
    #expect(Audience.all.rawValue == LIST_AUDIENCE_ALL.rawValue)
    #expect(Audience.operators.rawValue == LIST_AUDIENCE_OPERATORS.rawValue)
    #expect(ColumnAlignment.start.rawValue == LIST_ALIGN_START.rawValue)
    #expect(ColumnAlignment.end.rawValue == LIST_ALIGN_END.rawValue)
    #expect(ColumnAlignment.center.rawValue == LIST_ALIGN_CENTER.rawValue)
    #expect(Verb.upsert.rawValue == LIST_UPSERT.rawValue)
    #expect(Verb.update.rawValue == LIST_UPDATE.rawValue)
    #expect(Verb.delete.rawValue == LIST_DELETE.rawValue)
    #expect(Verb.move.rawValue == LIST_MOVE.rawValue)
    #expect(Reload.begin.rawValue == LIST_RELOAD_BEGIN.rawValue)
    #expect(Reload.end.rawValue == LIST_RELOAD_END.rawValue)
    #expect(SourceState.live.rawValue == LIST_STATE_LIVE.rawValue)
    #expect(SourceState.stale.rawValue == LIST_STATE_STALE.rawValue)
    #expect(LogLevel.error.rawValue == LIST_ERROR.rawValue)
    #expect(ActionArgument.Kind.integer.rawValue == LIST_INTEGER.rawValue)
    #expect(ActionArgument.Kind.number.rawValue == LIST_NUMBER.rawValue)
    #expect(ActionArgument.Kind.text.rawValue == LIST_TEXT.rawValue)
    #expect(ActionArgument.Kind.boolean.rawValue == LIST_BOOLEAN.rawValue)
  }
}
