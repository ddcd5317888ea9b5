import { describe, expect, test } from 'vitest'
import { createEgress, type EgressPolicy } from './egress.ts'
import { BadHostPattern, parseHostPattern } from './host-patterns.ts'

describe('host patterns', () => {
  const api = { host: 'api.example.com', address: '93.184.216.34', port: 443 }
  const inner = { host: 'db.internal', address: '10.1.2.3', port: 5432 }
  const six = { host: '[fd00::7]', address: 'fd00::7', port: 80 }
  test.each([
    ['api.example.com', api, true],
    ['API.Example.com.', { ...api, host: 'api.EXAMPLE.com.' }, true],
    ['api.example.com', { ...api, host: 'evil-api.example.com' }, false],
    ['api.example.com:443', api, true],
    ['api.example.com:8443', api, false],
    ['*.example.com', api, true],
    ['*.example.com', { ...api, host: 'example.com' }, false],
    ['*.example.com', { ...api, host: 'badexample.com' }, false],
    ['10.0.0.0/8', inner, true],
    ['10.0.0.0/8:5432', inner, true],
    ['10.0.0.0/8:80', inner, false],
    ['10.1.2.3', inner, true],
    ['10.1.2.4', inner, false],
    ['[fd00::7]', six, true],
    ['[fd00::]/8', six, true],
    ['[fd00::7]:81', six, false],
    ['10.0.0.0/8', six, false],
  ])('%s for %o: %s', (pattern, target, matches) => {
    expect(parseHostPattern(pattern)(target)).toBe(matches)
  })

  test.each(['', '*', 'a b', 'http://a', 'a:0', 'a:70000', 'a:b', '10.0.0.0/33', '*.', '-a', 'a..b', '[::1'])(
    '%j is refused',
    (pattern) => {
      expect(() => parseHostPattern(pattern)).toThrow(BadHostPattern)
    },
  )
})

describe('egress', () => {
  const allowed = ['api.example.com', '10.0.0.0/8', '169.254.0.0/16'].map(parseHostPattern)
  const targets = {
    allowedPublic: { host: 'api.example.com', address: '93.184.216.34', port: 443 },
    otherPublic: { host: 'other.example.com', address: '93.184.216.35', port: 443 },
    allowedPrivate: { host: 'db', address: '10.1.2.3', port: 80 },
    otherPrivate: { host: 'localhost', address: '127.0.0.1', port: 80 },
    metadata: { host: 'metadata', address: '169.254.169.254', port: 80 },
  }
  const FORBIDDEN = 'link-local and cloud metadata addresses are never called'
  const LISTED = /^`[\w.]+` is not among the hosts of --network-http-allow$/
  const PRIVATE = /^`[\w.]+` is a private address, and not among/
  test.each<[EgressPolicy, keyof typeof targets, string | RegExp | undefined]>([
    ['open', 'otherPublic', undefined],
    ['open', 'otherPrivate', undefined],
    ['open', 'metadata', FORBIDDEN],
    ['public', 'otherPublic', undefined],
    ['public', 'allowedPrivate', undefined],
    ['public', 'otherPrivate', PRIVATE],
    ['public', 'metadata', FORBIDDEN],
    ['allowlist', 'allowedPublic', undefined],
    ['allowlist', 'allowedPrivate', undefined],
    ['allowlist', 'otherPublic', LISTED],
    ['allowlist', 'otherPrivate', LISTED],
    ['allowlist', 'metadata', FORBIDDEN],
  ])('%s, %s: %s', (policy, target, refusal) => {
    const found = createEgress(policy, allowed, '--network-http-allow')(targets[target])
    if (refusal === undefined) expect(found).toBeUndefined()
    else expect(found).toMatch(refusal)
  })
})
