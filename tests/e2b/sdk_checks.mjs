// SPDX-License-Identifier: Apache-2.0
// The stand-in through E2B's JavaScript package (sdk.py installs that).

import { Sandbox } from 'e2b'

const check = (good, name) => console.log(good ? 'ok' : 'not ok', name)
const raises = async (kind, name, call) => {
  try { await call(); check(false, name) } catch (error) { check(kind.includes(error.name), name) }
}

const box = await Sandbox.create({ envs: { A: 'b' }, metadata: { 'k y': 'v&1' }, timeoutMs: 60000 })
check((await box.commands.run('echo hi; echo $A')).stdout === 'hi\nb\n', 'a command')
await raises(['CommandExitError'], 'one that fails', () => box.commands.run('exit 3'))
await raises(['InvalidArgumentError'], 'a folder that is missing', () => box.commands.run('true', { cwd: '/no/such' }))
await box.files.write('a/b.txt', 'h\u00e9llo')
check(await box.files.read('a/b.txt') === 'h\u00e9llo', 'a file')
await box.files.write([{ path: 'q1', data: '1' }, { path: 'd/q2', data: '2' }])
check(await box.files.read('d/q2') === '2', 'several files')
await raises(['FileNotFoundError', 'NotFoundError'], 'a file that is missing', () => box.files.read('nothing'))
const terminal = await box.pty.create({ cols: 80, rows: 24, onData: () => {} })
await box.pty.sendInput(terminal.pid, new TextEncoder().encode('exit 0\n'))
check((await terminal.wait()).exitCode === 0, 'a terminal')
const snapshot = await box.createSnapshot()
const copy = await Sandbox.create(snapshot.snapshotId)
check(await copy.files.read('d/q2') === '2', 'a snapshot')
await copy.kill()
check(await box.pause() && !await box.isRunning(), 'a pause')
check(await (await Sandbox.connect(box.sandboxId)).isRunning(), 'and its end')
check(await box.kill() && !await box.kill(), 'a kill')
process.exit(0)
