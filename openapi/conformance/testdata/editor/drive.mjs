// Speaks the Language Server Protocol: node drive.mjs DOCUMENT [SCHEMA].
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';

const [file, schema] = process.argv.slice(2);
const root = 'file://' + process.cwd();
const uri = root + '/' + file;
const settings = {validate: true, hover: true, completion: true, schemaStore: {enable: false},
	schemas: schema ? {[root + '/' + schema]: file} : {}};
const server = spawn('node', ['node_modules/yaml-language-server/bin/yaml-language-server', '--stdio']);
server.on('exit', () => { throw new Error('the server has ended'); });

const waiting = new Map();
let received = Buffer.alloc(0), last = 0;
const diagnosed = new Promise(resolve => waiting.set('diagnostics', resolve));
const send = m => {
	const text = JSON.stringify({jsonrpc: '2.0', ...m});
	server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
};
const ask = (method, params) => new Promise(resolve => {
	waiting.set(++last, m => resolve(m.result));
	send({id: last, method, params});
});
const receive = m => {
	if (m.method === 'workspace/configuration') {
		send({id: m.id, result: m.params.items.map(i => i.section === 'yaml' ? settings : {})});
	} else if (m.method === 'textDocument/publishDiagnostics') {
		waiting.get('diagnostics')(m.params.diagnostics);
	} else if (m.method && m.id !== undefined) {
		send({id: m.id, result: null});
	} else if (m.id !== undefined) {
		waiting.get(m.id)(m);
	}
};
server.stdout.on('data', data => {
	received = Buffer.concat([received, data]);
	for (;;) {
		const end = received.indexOf('\r\n\r\n');
		if (end < 0) return;
		const n = end + 4 + Number(/Content-Length: (\d+)/.exec(received.subarray(0, end))[1]);
		if (received.length < n) return;
		const m = JSON.parse(received.subarray(end + 4, n));
		received = received.subarray(n);
		receive(m);
	}
});

await ask('initialize', {processId: process.pid, rootUri: root, capabilities: {
	workspace: {configuration: true},
	textDocument: {completion: {completionItem: {snippetSupport: false}}, hover: {contentFormat: ['markdown']}},
}});
send({method: 'initialized', params: {}});
await ask('yaml/get/jsonSchema', uri); // answered after the settings are known
let text = readFileSync(file, 'utf8');
const marks = [];
for (let at; (at = text.indexOf('‸')) >= 0; text = text.slice(0, at) + text.slice(at + 1)) {
	const lines = text.slice(0, at).split('\n');
	marks.push({line: lines.length - 1, character: lines.at(-1).length});
}
send({method: 'textDocument/didOpen', params: {textDocument: {uri, languageId: 'yaml', version: 1, text}}});
const place = p => `${file}:${p.line + 1}:${p.character + 1}:`;
for (const d of await diagnosed) console.log(place(d.range.start), d.message);
for (const position of marks) {
	const hover = await ask('textDocument/hover', {textDocument: {uri}, position});
	if (hover) console.log(place(position), 'hover:', hover.contents.value.split('\n')[0]);
	const found = await ask('textDocument/completion', {textDocument: {uri}, position});
	console.log(place(position), 'complete:', (found.items ?? found).map(i => i.label).join(' '));
}
server.removeAllListeners('exit');
server.kill();
