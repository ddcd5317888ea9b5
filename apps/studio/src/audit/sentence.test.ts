import { expect, test } from 'vitest'
import { audit as en } from '../texts/en/audit.ts'
import { audit as zh } from '../texts/zh/audit.ts'
import { actOf, actorOf, changedMembers } from './sentence.ts'

test.each([
  ['draft.updated', 'draft', 'shipping_price', 'saved shipping_price'],
  ['role.created', 'role', 'Clerk', 'created the role Clerk'],
  ['release.approved', 'release', 'Cheaper delivery', 'approved the release Cheaper delivery'],
  ['release.executed', 'release', '4 Cheaper delivery', 'started release 4, Cheaper delivery'],
  ['connect_token.revoked', 'connect_token', 'laptop', 'revoked the connect token laptop'],
  ['session.signed_in', 'session', 'ana@example.com', 'signed in'],
  ['moon.landed', 'moon', 'Luna', 'moon.landed Luna'],
])('%s is told in words', (action, type, name, sentence) => {
  expect(actOf({ action, object: { type, id: 'id', name } }, en)).toBe(sentence)
})

test.each([
  ['user', 'Ana Keller', 'Ana Keller'],
  ['key', 'shop', 'The key shop'],
  ['server', 'eu-1', 'The engine eu-1'],
  ['system', 'engine-platform', 'The platform'],
] as const)('a %s is named', (type, name, words) => {
  expect(actorOf({ actor: { type, id: 'id', name } }, en)).toBe(words)
})

test('a change lists the members that differ', () => {
  const before = { id: 'r', name: 'Clerk', rights: ['project.read'], rev: 1, updated_at: 'a' }
  const after = { id: 'r', name: 'Clerk', rights: ['project.read', 'test.run'], rev: 2, updated_at: 'b', note: 'x' }
  expect(changedMembers({ before, after })).toEqual([
    { name: 'rights', before: ['project.read'], after: ['project.read', 'test.run'] },
    { name: 'note', before: undefined, after: 'x' },
  ])
  expect(changedMembers({ before: null, after: { name: 'Clerk' } })).toEqual([
    { name: 'name', before: undefined, after: 'Clerk' },
  ])
  expect(changedMembers({ before: null, after: null })).toEqual([])
})

test('both languages know the same actions', () => {
  expect(Object.keys(zh.acts)).toEqual(Object.keys(en.acts))
  expect(Object.keys(zh.verbs)).toEqual(Object.keys(en.verbs))
})
