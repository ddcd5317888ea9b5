import { stringifyJson } from '@engine/expression'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { systemProgram } from '../programs.testing.ts'
import { CHROMIUM, sharedBrowser } from '../studio/chromium.testing.ts'
import {
  type ConformanceData,
  dataOf,
  decidedOtherwise,
  decisionOfCase,
  type RulesetCase,
} from './conformance-data.testing.ts'
import { byBatch, byGrpcBatch, namedCases, post } from './decimal-doors.testing.ts'
import { programsOf } from './product.testing.ts'
import { OTHER } from './rulesets.testing.ts'

/**
 * New decimal rulesets, decided by Python's decimal module, interpreted, compiled, over HTTP, over gRPC and in a browser.
 * `CASES=200000 SEED=1 npx vitest run tests/conformance/decimal-rounds.test.ts` runs the acceptance once.
 */

const RULESETS = casesOf(400)
/** Rulesets that are generated, stored and sent to the browser together. */
const ROUND = 200

let server: TestServer
let client: TestClient
let page: Page | undefined

beforeAll(async () => {
  server = await startServer('--grpc-addr', '127.0.0.1:0')
  client = engineClient(server.grpc)
  if (CHROMIUM === undefined) return
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'browser-entry.testing.ts'),
    platform: 'browser',
    tsconfig: false,
  })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  page = await (await sharedBrowser()).newPage()
  await page.addScriptTag({ content: output[0].code })
}, 120_000)
afterAll(async () => {
  client.close()
  await page?.close()
  await server.stop()
})

/** The text of new cases. */
const generated = (count: number, seed: number) =>
  execFileSync(systemProgram('python3'), [join(import.meta.dirname, 'decimal_cases.py'), String(count), String(seed)], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })

async function differencesIn(text: string): Promise<readonly string[]> {
  const { cases } = dataOf<ConformanceData<RulesetCase>>(text, 'decimal')
  const wrong = cases.flatMap(({ ruleset, inputs }) => [...decidedOtherwise(programsOf(ruleset), inputs)])
  for (const { name, ruleset, inputs } of namedCases(cases)) {
    await post(`${server.url}/api/v1/rulesets`, stringifyJson(ruleset))
    const given = inputs.map(({ input }) => input)
    const wanted = inputs.map((one) => decisionOfCase(one)).join('\n')
    for (const [way, door] of [
      ['HTTP', byBatch(server.url)],
      ['gRPC', byGrpcBatch(client)],
    ] as const) {
      const found = (await door(name, given)).join('\n')
      if (found !== wanted) wrong.push(`${way}: ${found}, expected ${wanted}, of ${stringifyJson(ruleset)}`)
    }
  }
  if (page === undefined) return wrong
  const none = '{"cases":[]}'
  const texts = {
    expressions: none,
    rulesets: none,
    draft: none,
    table: none,
    numbers: text,
    other: stringifyJson(OTHER),
  }
  const inBrowser = await page.evaluate<{ readonly wrong: readonly string[] }, string>(
    (sent) => (globalThis as unknown as { runCases(cases: unknown): never }).runCases(JSON.parse(sent)),
    JSON.stringify(texts),
  )
  return [...wrong, ...inBrowser.wrong.map((one) => `browser: ${one}`)]
}

test(
  `${RULESETS} new decimal rulesets are decided as by Python, every way`,
  async () => {
    printSeed(RULESETS)
    for (let made = 0, round = 0; made < RULESETS; made += ROUND, round++) {
      const seed = (SEED + round) % 2 ** 31
      const text = generated(Math.min(ROUND, RULESETS - made), seed)
      expect([seed, await differencesIn(text)]).toEqual([seed, []])
    }
    console.log(`checked: ${RULESETS} rulesets, browser ${page === undefined ? 'absent' : 'too'}`)
  },
  120_000 + RULESETS * 1000,
)
