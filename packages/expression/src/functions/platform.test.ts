import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const face = new URL('../index.ts', import.meta.url).href

/** Runs a program on a platform without the APIs that Node.js has since version 22. */
function onOlderPlatform(program: string): string {
  const text = `
    delete globalThis.Temporal; delete Uint8Array.fromBase64; delete Uint8Array.fromHex; delete RegExp.escape
    delete Promise.withResolvers
    const { check, compile, LENIENT, read, Budget } = await import(${JSON.stringify(face)})
    const evaluate = (source, input = {}) => {
      const found = read(source)
      if ('problems' in found) return found.problems[0].message
      try { return compile(found.expression, { policy: LENIENT })(input, new Map(), { now: 0, budget: Budget.endless() }) }
      catch (error) { return error.message }
    }
    ${program}`
  return execFileSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' }).trim()
}

test('an older platform evaluates expressions without dates', () => {
  expect(
    onOlderPlatform(`console.log(evaluate('base64_decode(base64_encode("ä")) == "ä" && 1 <= age', { age: 2 }))`),
  ).toBe('true')
})

test.each([`date_add("2026-11-20", 1, "days")`, `year(0)`, `format_date(since, "YYYY")`])(
  'without Temporal, %s fails by name',
  (source) => {
    const program = `console.log(evaluate(${JSON.stringify(source)}, { since: "2026-11-20" }))`
    expect(onOlderPlatform(program)).toMatch(/functions of dates need Temporal: Node\.js 26, .*temporal-polyfill/)
  },
)
