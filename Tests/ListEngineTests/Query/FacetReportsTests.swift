import ListEngine
import Testing

/// Reports of facets that wait for a client.
@Suite struct FacetReportsTests {
  private func report(_ id: UInt64, _ facets: [(Int, Int)]) -> FacetReports {
    FacetReports(id: id, facets: facets.map { FacetReports.Entry($0.0, .moreValues(than: $0.1)) })
  }

  @Test func `a report includes the facets of an earlier one that it lacks`() {
    var new = report(3, [(1, 20), (4, 40)])
    new.include(report(3, [(0, 1), (1, 2)]))
    #expect(new == report(3, [(0, 1), (1, 20), (4, 40)]))
  }

  @Test func `facets of another request are not included`() {
    var new = report(4, [(1, 20)])
    new.include(report(3, [(0, 1)]))
    #expect(new == report(4, [(1, 20)]))
  }
}
