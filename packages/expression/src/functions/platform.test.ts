import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const face = new URL('../index.ts', import.meta.url).href

test.each([
  ['globalThis.Temporal', 'needs Temporal: Node.js 26 or later'],
  ['Uint8Array.fromBase64', 'needs Uint8Array.fromBase64 and fromHex: Node.js 26 or later'],
])('without %s the import fails, and no verdict is given', (feature, message) => {
  const program = `delete ${feature}; import(${JSON.stringify(face)}).then(() => 'imported', (error) => error.message).then((text) => console.log(text))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(said).toContain(message)
})
