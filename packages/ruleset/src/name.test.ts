import { describe, expect, it } from 'vitest'
import { refuseName } from './name.ts'

describe('names that a ruleset may have', () => {
  it.each([
    'a',
    'A',
    '7',
    '_',
    '-',
    'loan-approval',
    'loan_approval.v2',
    'v1.2.3',
    'a.',
    'constructor',
    '__proto__',
    'CON',
    'tenants2',
    'my-tenants',
    'x'.repeat(128),
  ])('accepts `%s`', (name) => {
    expect(refuseName(name)).toBeUndefined()
  })
})

describe('names that a ruleset may not have', () => {
  it.each([
    ['', 'a ruleset name must not be empty'],
    ['x'.repeat(129), 'a ruleset name has at most 128 characters, this one has 129'],
    ['x'.repeat(300), 'a ruleset name has at most 128 characters, this one has 300'],
    ['.', 'a ruleset name must not start with `.`'],
    ['..', 'a ruleset name must not start with `.`'],
    ['.versions', 'a ruleset name must not start with `.`'],
    ['.health_probe', 'a ruleset name must not start with `.`'],
    ['a..b', 'a ruleset name must not contain `..`'],
    ['a..', 'a ruleset name must not contain `..`'],
    ['tenants', '`tenants` is reserved and cannot be the name of a ruleset'],
    ['Tenants', '`Tenants` is reserved and cannot be the name of a ruleset'],
    ['TENANTS', '`TENANTS` is reserved and cannot be the name of a ruleset'],
  ])('refuses `%s`', (name, reason) => {
    expect(refuseName(name)).toBe(reason)
  })

  it.each([
    '../x',
    'a/b',
    '/etc/passwd',
    'a\\b',
    'a b',
    ' a',
    'a ',
    'a\n',
    'a\0',
    '%2e%2e%2f',
    'größe',
    'ｆｕｌｌ',
    'a*',
    'a>',
    'a:b',
    'a\u2028b',
    '"];process.exit()//',
    '\ud800',
    '😀',
  ])('refuses %j for its characters', (name) => {
    expect(refuseName(name)).toBe('a ruleset name may only contain letters a to z, digits, `.`, `_` and `-`')
  })
})
