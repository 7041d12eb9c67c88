// later.js: modules for interaction (menus, dialogs, drags). Loaded after the first rows are drawn.

export { Controller } from '../input/controller.js';
export { ColumnController } from '../input/columncontroller.js';
export { showPalette } from '../panels/palette.js';
export { openHelp } from '../panels/help.js';
export { showExports, showOptions } from '../panels/options.js';
