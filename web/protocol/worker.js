// worker.js: runs the connection of talk.js in a worker.

import { Talk } from './talk.js';

const talk = new Talk(`${self.location.protocol === 'https:' ? 'wss' : 'ws'}://${self.location.host}${self.name}/ws`);
self.onmessage = ({ data }) => talk.obey(data);
self.postMessage({ ready: true });
