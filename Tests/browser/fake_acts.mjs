// Actions of the stand-in server, as docs/protocol.md specifies them. Each request runs once.

const said = new Map(); // answers by session and id; null while the action runs
let jobs = 0;

/** The actions of the table `jobs`. */
export const ACTIONS = [
  { name: 'touch', title: 'Touch', confirm: '', danger: false, rows: true, arguments: [] },
  { name: 'stop', title: 'Stop the job', confirm: 'What it has done is lost.', danger: true, rows: true, arguments: [] },
  { name: 'limit', title: 'Change the limit', confirm: '', danger: false, rows: true, arguments: [
    { name: 'share', label: 'Share', type: 'integer', default: 10, minimum: 1, maximum: 90 },
    { name: 'class', label: 'Class', type: 'text', choices: ['low', 'normal', 'high'], default: 'normal' },
    { name: 'note', label: 'Note', type: 'text' }, { name: 'forever', label: 'For ever', type: 'boolean', default: false },
  ] },
  { name: 'fail', title: 'Fail', confirm: '', danger: false, rows: true, arguments: [] },
  { name: 'hang', title: 'Take a while', confirm: '', danger: false, rows: true, arguments: [] },
  { name: 'sweep', title: 'Sweep all jobs', confirm: 'Sweep?', danger: false, rows: false, arguments: [] },
];

/** Runs an action and sends its result. A repeated request gets the stored result. */
export function act(session, table, message) {
  const key = `${message.session ?? session.secret} ${message.id}`;
  const answer = (what) => session.send({ type: 'acted', id: message.id, ...(message.session ? { session: message.session } : {}), ...what });
  if (message.session && !said.has(key)) return answer({ error: { code: 'forgotten', reason: 'nobody knows it any more' } });
  if (said.has(key)) {
    const known = said.get(key);
    if (known !== null) answer(known);
    return undefined;
  }
  said.set(key, null);
  const end = (what) => {
    said.set(key, what);
    answer(what);
  };
  jobs += 1;
  const row = table.rows.find(({ id }) => id === message.row);
  const { action, arguments: values = {} } = message;
  if (action === 'sweep') return end({ result: `swept ${table.rows.length} jobs` });
  if (row === undefined) return end({ error: { code: 'rowGone', reason: 'there is no such job' } });
  table.set(row, 2, row.cells[2] + 1);
  if (action === 'fail') return end({ error: { code: 'failed', reason: 'the job does not want to <b>fail</b>' } });
  if (action === 'stop') table.set(row, 1, 'stopped');
  if (action === 'limit') table.set(row, 3, JSON.stringify(values));
  // The action is done, but the connection closes before its result is sent.
  if (action === 'hang') return void setTimeout(() => { said.set(key, { result: 'it took a while' }); session.drop(); }, 300);
  return void setTimeout(() => end({ result: `${row.cells[0]}: ${action} ${jobs}` }), 150);
}
