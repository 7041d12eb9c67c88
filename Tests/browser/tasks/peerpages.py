"""The pages of the other grids: their options, and no code of ours."""

from tasks.source import JOBS, PROCESSES, log_row

# Times are minutes before now. The lines of the log have their number in place of a time.
TABLES = {
    "processes": (["pid", "name", "user", "state", "cpu", "memory", "started", "command"],
                  [row[1:] for row in PROCESSES]),
    "jobs": (["job", "team", "state", "retry", "ended", "duration", "message"], [row[1:] for row in JOBS]),
    "logs": (["time", "level", "service", "message"], [[n, *log_row(n)] for n in range(300)]),
}  # fmt: skip

FRAME = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>#grid { position: absolute; inset: 60px 40px 60px 40px; }</style>"""

# Dash's component has AG Grid Enterprise with React around it. Without a license, it is unlocked
# for trials and prints a note on the console.
AG = FRAME + """<div id="grid"></div><script src="lib/react.js"></script><script src="lib/react-dom.js"></script>
<script>
window.dash_component_api = { useDashContext: () => ({}), DashContext: React.createContext({}) };
window.dash_clientside = {};
const kind = new Proxy(() => kind, { get: () => kind });
window.PropTypes = kind;
</script><script src="lib/dash_ag_grid.min.js"></script><script>
const { columns, rows } = DATA;
const isNumber = (field) => typeof rows[0][field] === 'number';
const options = {
  id: 'ag', rowData: rows, enableEnterpriseModules: true, style: { height: '100%' },
  columnDefs: columns.map((field) => ({
    field, headerName: field, filter: isNumber(field) ? 'agNumberColumnFilter' : 'agSetColumnFilter' })),
  defaultColDef: { width: 115, enableRowGroup: true, enableValue: true },
  dashGridOptions: {
    sideBar: 'columns', rowGroupPanelShow: 'always', cellSelection: true, rowNumbers: true,
    grandTotalRow: 'bottom', statusBar: { statusPanels: [{ statusPanel: 'agAggregationComponent' }] } },
};
function Page() {
  const [all, set] = React.useState(options);
  return React.createElement(dash_ag_grid.AgGrid, { ...all, setProps: (more) => set((one) => ({ ...one, ...more })) });
}
ReactDOM.createRoot(document.getElementById('grid')).render(React.createElement(Page));
</script>"""

PERSPECTIVE = FRAME + """
<link rel="stylesheet" href="lib/perspective/@finos/perspective-viewer@3.8.0/dist/css/pro.css">
<perspective-viewer id="grid"></perspective-viewer><script type="module">
import perspective from './lib/perspective/@finos/perspective@3.8.0/dist/cdn/perspective.js';
import './lib/perspective/@finos/perspective-viewer@3.8.0/dist/cdn/perspective-viewer.js';
import './lib/perspective/@finos/perspective-viewer-datagrid@3.8.0/dist/cdn/perspective-viewer-datagrid.js';
const { rows } = DATA;
const worker = await perspective.worker();
const viewer = document.getElementById('grid');
await viewer.load(await worker.table(rows));
await viewer.restore({ plugin: 'Datagrid', theme: 'Pro Light' });
</script>"""

TABULATOR = FRAME + """<link rel="stylesheet" href="lib/tabulator_simple.min.css">
<script src="lib/tabulator.min.js"></script><div id="grid"></div><script>
const { columns, rows } = DATA;
new Tabulator('#grid', {
  data: rows, height: '100%', movableColumns: true,
  columns: columns.map((field) => ({ title: field, field, width: 130, headerFilter: 'input' })),
});
</script>"""

PAGES = {"ag": AG, "perspective": PERSPECTIVE, "tabulator": TABULATOR}
NAMES = {"ag": "AG Grid Enterprise", "perspective": "Perspective", "tabulator": "Tabulator"}
