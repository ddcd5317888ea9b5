import { convertDraft, declaredFields } from '@engine/authoring'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Templates } from '../../apps/platform-server/src/features/templates/templates.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'

const template = await new Templates().one('authorization')
if (template === undefined) throw new Error('there is no such template')
const { rulesets, contracts, concepts, subRules, suites } = template.archive

const folder = mkdtempSync(join(tmpdir(), 'engine-authorization-'))
let server: TestServer
beforeAll(async () => {
  const mapping = { rules: [{ ruleset: 'document_access', permit: ['PERMIT'] }], context: ['code', 'output'] }
  writeFileSync(join(folder, 'mapping.json'), JSON.stringify(mapping))
  server = await startServer('--authzen-config', join(folder, 'mapping.json'))
  for (const draft of rulesets) {
    const contract = contracts.find(({ name }) => name === draft.config.contract)
    if (contract === undefined) throw new Error('it has no contract')
    const fields = declaredFields(contract, new Map(concepts.map(({ name, fields: members }) => [name, members])))
    const converted = convertDraft(draft, {
      subRules: new Map(subRules.map(({ name, graph }) => [name, graph])),
      fields,
    })
    const { status, text } = await server.post('/api/v1/rulesets', converted.ruleset)
    if (status !== 201) throw new Error(text)
  }
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

test.each(suites.flatMap(({ cases }) => cases))(
  'AuthZEN answers like the case: $name',
  async ({ input, expect: expected }) => {
    const { status, body } = await server.post('/access/v1/evaluation', input)
    const { code, output } = expected
    expect([status, body]).toEqual([200, { decision: code === 'PERMIT', context: { code, output } }])
  },
)
