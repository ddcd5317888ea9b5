import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createPageTokens } from './page-token.ts'

const KEY = Buffer.from('a key of sixteen')
const tokens = createPageTokens(KEY)
const TOKEN = tokens.create('ada', 'query')
const [content = '', signature = ''] = TOKEN.split('.')

/** A token with this content, signed as the server signs. */
const signed = (text: string, query = 'query') => {
  const encoded = Buffer.from(text).toString('base64url')
  const by = createHmac('sha256', KEY).update(encoded).update('\n').update(query).digest('base64url')
  return `${encoded}.${by}`
}

test.each(['ada', '', 'ünï "quoted" \n', 'x'.repeat(1024)])('the id %j comes back', (id) => {
  expect(tokens.read(tokens.create(id, 'query'), 'query')).toBe(id)
})

test('all processes with the key read it', () => {
  expect(createPageTokens(KEY).read(TOKEN, 'query')).toBe('ada')
  expect(signed('{"after":"ada"}')).toBe(TOKEN)
})

test.each([
  ['another query', TOKEN, 'other'],
  ['another content', `${Buffer.from('{"after":"bob"}').toString('base64url')}.${signature}`, 'query'],
  ['another signature', `${content}.${Buffer.alloc(32).toString('base64url')}`, 'query'],
  ['a short signature', `${content}.${signature.slice(0, 20)}`, 'query'],
  ['no signature', content, 'query'],
  ['nothing', '', 'query'],
  ['a third part', `${TOKEN}.a`, 'query'],
  ['an empty third part', `${TOKEN}.`, 'query'],
  ['no JSON', signed('{'), 'query'],
  ['a list', signed('["ada"]'), 'query'],
  ['null', signed('null'), 'query'],
  ['a number', signed('{"after":1}'), 'query'],
  ['more than 8192 characters', signed(`{"after":"${'x'.repeat(6200)}"}`), 'query'],
])('%s is no token', (_, token, query) => {
  expect(tokens.read(token, query)).toBeUndefined()
})

test('a token of another key is none', () => {
  expect(createPageTokens(Buffer.from('another key here')).read(TOKEN, 'query')).toBeUndefined()
})
