// words.js: modules for the texts around the rows and in place of them. Loaded after the first
// rows, to not delay them.

export { Bar } from './bar.js';
export { FollowButton } from './follow.js';
export { LoadWatch } from '../model/loads.js';
export { Note } from './note.js';
export { parse } from '../model/parsing.js';
export { PauseButton } from './pause.js';
export { changeText, stepText } from '../model/steps.js';
export { fetchView, ViewTabs } from './views.js';
export { viewOfSaved } from '../model/saved.js';
export { Announcer, viewInWords } from './announcer.js';
