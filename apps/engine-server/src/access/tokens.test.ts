import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { admitByToken, parseTokens, WHOLE_SERVER } from './tokens.ts'

const digest = (token: string) => createHash('sha256').update(token).digest('hex')
const admit = admitByToken(
  parseTokens(
    [
      `all:admin:${digest('all')}`,
      `reads:read:${digest('reads')}`,
      `of-a:read,execute:${digest('of-a')}:a`,
      `of-a-and-default:admin:${digest('of-a-and-default')}:a,default`,
    ].join('\n'),
  ),
)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a token', () => {
  test.each<[token: string, scope: 'read' | 'execute' | 'admin', tenant: string | undefined, refusal?: string]>([
    ['all', 'admin', undefined],
    ['all', 'admin', 'b'],
    ['reads', 'read', 'b'],
    ['reads', 'execute', 'b', 'the token `reads` does not have the scope `execute`'],
    ['of-a', 'read', 'a'],
    ['of-a', 'admin', 'a', 'the token `of-a` does not have the scope `admin`'],
    ['of-a', 'read', 'b', 'the token `of-a` is not for the tenant `b`'],
    ['of-a', 'read', undefined, 'the token `of-a` is not for the tenant `default`'],
    ['of-a-and-default', 'admin', undefined],
    ['of-a-and-default', 'admin', 'b', 'the token `of-a-and-default` is not for the tenant `b`'],
  ])('%s with %s for tenant %s', (token, scope, tenant, refusal) => {
    const admission = admit(bearer(token), scope, tenant)
    expect([admission.refusal?.message, admission.token]).toEqual([refusal, token])
  })

  test.each([
    ['all', undefined],
    ['of-a-and-default', 'the token `of-a-and-default` is only for tenants, not for the server'],
  ])('%s for the server as a whole', (token, refusal) => {
    expect(admit(bearer(token), 'read', WHOLE_SERVER).refusal?.message).toBe(refusal)
  })

  test.each([
    [{}, 'a token is needed'],
    [{ authorization: 'Basic YWxs' }, 'a token is needed'],
    [{ authorization: 'Bearer' }, 'a token is needed'],
    [{ 'x-api-key': '' }, 'a token is needed'],
    [bearer('other'), 'the token is unknown'],
    [{ 'x-api-key': 'other' }, 'the token is unknown'],
  ])('%j is not a token and has no name', (headers, message) => {
    const { refusal, token } = admit(headers, 'read', undefined)
    expect([refusal?.code, refusal?.message, token]).toEqual([
      'unauthorized',
      expect.stringContaining(message),
      undefined,
    ])
  })

  test('is also accepted in `x-api-key`', () => {
    expect(admit({ 'x-api-key': 'reads' }, 'read', undefined)).toEqual({ refusal: undefined, token: 'reads' })
  })
})

describe('a tokens file', () => {
  const GOOD = digest('x')
  const FORM = 'expected `name:scope[,scope]:sha256-of-token[:tenant[,tenant]]`'
  test.each<[line: string, message: string]>([
    ['a:read', FORM],
    [`a:read:${GOOD}:t:more`, FORM],
    [`:read:${GOOD}`, 'is not a name of 1 to 64'],
    [`${'n'.repeat(65)}:read:${GOOD}`, 'is not a name of 1 to 64'],
    [`a b:read:${GOOD}`, 'is not a name of 1 to 64'],
    [`a:reed:${GOOD}`, '`reed` is not a scope: expected `read`, `execute`, `trace`, `write`, `admin`'],
    [`a:read,:${GOOD}`, 'is not a scope'],
    [`a:read:${GOOD.slice(1)}`, 'the third part must be the SHA-256 of the token, 64 hexadecimal digits'],
    [`a:read:${GOOD}0`, 'the third part must be the SHA-256 of the token, 64 hexadecimal digits'],
    [`a:read:${GOOD}:../b`, '`../b` is not the id of a tenant'],
    [`a:read:${GOOD}:`, 'is not the id of a tenant'],
    [`a:read:${GOOD}\na:write:${GOOD}`, 'line 2: the name `a` is used twice'],
    ['# nothing', 'it contains no token'],
  ])('with `%s` is refused', (text, message) => {
    expect(() => parseTokens(text)).toThrow(message)
  })

  test('may have comments, blanks and digests in upper case', () => {
    const text = `# ours\n\n ${'n'.repeat(64)} : read , write : ${GOOD.toUpperCase()} : a , b \n`
    expect(parseTokens(text)).toEqual([
      {
        name: 'n'.repeat(64),
        scopes: new Set(['read', 'write']),
        digest: Buffer.from(GOOD, 'hex'),
        tenants: new Set(['a', 'b']),
      },
    ])
  })
})
