import { stringifyJson } from '@engine/expression'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { CHROMIUM, sharedBrowser } from '../studio/chromium.testing.ts'
import { dataText } from './data-files.testing.ts'
import { OTHER } from './rulesets.testing.ts'

test.skipIf(CHROMIUM === undefined)('a browser evaluates and decides every case as well', async () => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'browser-entry.testing.ts'),
    platform: 'browser',
    tsconfig: false,
  })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  const page = await (await sharedBrowser()).newPage()
  try {
    await page.addScriptTag({ content: output[0].code })
    const texts = Object.fromEntries(
      ['expressions', 'rulesets', 'draft', 'table', 'numbers'].map((name) => [name, dataText(name)] as const),
    )
    const found = await page.evaluate<{ readonly count: number; readonly wrong: readonly string[] }, string>(
      (given) => (globalThis as unknown as { runCases(texts: unknown): never }).runCases(JSON.parse(given)),
      JSON.stringify({ ...texts, other: stringifyJson(OTHER) }),
    )
    expect(found.wrong).toEqual([])
    expect(found.count).toBeGreaterThan(2000)
  } finally {
    await page.close()
  }
})
