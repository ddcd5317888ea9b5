import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AUDIT_OBJECT_TYPES } from '../../apps/platform-server/src/database/audit.ts'

const docs = join(import.meta.dirname, '../../docs')

test('the contract and the page of its interpretation list the types of audited objects', () => {
  const [, ofContract = ''] =
    /\*\*Audit\*\*: .*`object\.type` the same type: ([a-z_, ]+);/.exec(
      readFileSync(join(docs, 'specification/platform-contract.md'), 'utf8'),
    ) ?? []
  const [, ours = ''] =
    /\*\*Object types of the audit\*\*([^]*?)\n- \*\*/.exec(readFileSync(join(docs, 'platform/api.md'), 'utf8')) ?? []
  const added = Array.from(ours.matchAll(/`([a-z_]+)`/g), ([, type = '']) => type)
  expect([...ofContract.split(', '), ...added].toSorted()).toEqual(AUDIT_OBJECT_TYPES.toSorted())
})
