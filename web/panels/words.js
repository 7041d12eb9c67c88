// words.js: what is said around the rows and in their place. Loaded when there is something to say, which is after the first rows: they wait
// for no word.

export { Bar } from './bar.js';
export { LoadWatch } from '../model/loads.js';
export { Note } from './note.js';
export { PauseButton } from './pause.js';
export { Speech, viewInWords } from './speech.js';
