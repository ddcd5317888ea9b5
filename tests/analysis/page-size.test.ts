import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { expect, test } from 'vitest'

const INDEX = new URL('../../packages/analysis/src/index.ts', import.meta.url).pathname
const KIB = 1024

/** Bytes as sent of exports of the analysis for a page that has the language and the rulesets already. */
async function sizeOf(names: string): Promise<number> {
  const { output } = await build({
    input: 'entry',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? id : undefined),
        load: (id) => (id === 'entry' ? `export { ${names} } from '${INDEX}'` : undefined),
      },
    ],
    external: ['@engine/expression', '@engine/ruleset'],
    output: { minify: true },
    write: false,
  })
  return gzipSync(output[0].code).length
}

test.each([
  ['what an editor loads to show findings', 'assumedDomain, caseStubs, createSession, isFault, needsFurtherSearch', 30],
  [
    'an editor that also searches further and answers why-not',
    'furtherSearch, assumedDomain, caseStubs, createSession, isFault, needsFurtherSearch, whyNot',
    38,
  ],
])('%s (%s) takes at most %i KiB', async (_title, names, most) => {
  const size = await sizeOf(names)
  expect(size).toBeGreaterThan((most - 5) * KIB)
  expect(size).toBeLessThanOrEqual(most * KIB)
})
