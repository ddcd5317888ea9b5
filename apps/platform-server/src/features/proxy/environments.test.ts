import { describe, expect, test } from 'vitest'
import type { Caller } from '../../access/caller.ts'
import type { Destinations } from './destinations.ts'
import type { ProxyPlace } from './proxied-project.ts'
import { answeringEnvironment, environmentFor } from './service.ts'

const environment = (name: string, live: readonly string[], canary: object = {}) =>
  ({
    id: `id-${name}`,
    name,
    live: new Set(live),
    owned: undefined,
    canary: { canary_target_env_id: null, canary_percentage: 0, ...canary },
  }) as unknown as Destinations
const split = (percent: number, target: string | null = 'id-next') => ({
  canary_target_env_id: target,
  canary_percentage: percent,
})
const [PROD, NEXT] = [environment('prod', ['fee', 'rate'], split(100)), environment('next', ['fee'])]
const raw = (headers: object = {}) => ({ headers }) as Parameters<typeof environmentFor>[0]['raw']
const person = { kind: 'user' } as Caller
const key = (environments: readonly string[]) => ({ kind: 'key', environments, projectIds: null }) as unknown as Caller

describe('the environment of a request', () => {
  const found = (headers: object, caller: Caller = person, environments: readonly Destinations[] = [PROD, NEXT]) => {
    const place = { project: { current_environment: 'prod' }, environments } as unknown as ProxyPlace
    const { own, target } = environmentFor({ raw: raw(headers), caller, place })
    return [own.name, target?.name]
  }
  test.each<[title: string, headers: object, expected: readonly (string | undefined)[]]>([
    ['is the current one of the project', {}, ['prod', 'next']],
    ['is named', { 'x-environment': 'next' }, ['next', undefined]],
    ['is named by its id', { 'x-environment': 'id-next' }, ['next', undefined]],
    ['is the current one where the name is empty', { 'x-environment': '' }, ['prod', 'next']],
  ])('%s', (_title, headers, expected) => expect(found(headers)).toEqual(expected))

  test.each<[title: string, canary: object, target: string | undefined]>([
    ['none without a percentage', split(0), undefined],
    ['none without a target', split(50, null), undefined],
    ['none where the target is gone', split(50, 'id-gone'), undefined],
    ['the target with the smallest percentage', split(0.01), 'next'],
  ])('is split with %s', (_title, canary, target) => {
    expect(found({}, person, [environment('prod', ['fee'], canary), NEXT])).toEqual(['prod', target])
  })

  test('that does not exist is not found, and one beyond a key is forbidden', () => {
    expect(() => found({ 'x-environment': 'test' })).toThrow('there is no environment `test`')
    expect(found({}, key(['prod']))[0]).toBe('prod')
    expect(() => found({}, key(['next']))).toThrow('the key is not for the environment `prod`')
    expect(() => found({}, key([]))).toThrow('the key is not for the environment `prod`')
  })
})

describe('the environment that answers', () => {
  const answering = (ruleset: string | undefined, percent: number, isSplit = true, headers: object = {}) => {
    const own = environment('prod', ['fee', 'rate'], split(percent))
    return answeringEnvironment({ own, target: NEXT }, { raw: raw(headers) }, { isSplit }, ruleset).name
  }
  test.each<[title: string, ruleset: string | undefined, percent: number, isSplit: boolean, expected: string]>([
    ['is the target for its share', 'fee', 100, true, 'next'],
    ['is its own for the rest', 'fee', 0, true, 'prod'],
    ['is its own where the target does not have the ruleset', 'rate', 100, true, 'prod'],
    ['is its own for requests that are not split', 'fee', 100, false, 'prod'],
    ['is the target without a ruleset', undefined, 100, true, 'next'],
  ])('%s', (_title, ruleset, percent, isSplit, expected) => {
    expect(answering(ruleset, percent, isSplit)).toBe(expected)
  })

  test('has no ruleset that callers do not reach there', () => {
    expect(() => answering('other', 100)).toThrow('there is no ruleset `other`')
  })

  test('is the same for the same key, and by the share of the keys', () => {
    const names = Array.from({ length: 400 }, (_, index) => answering('fee', 50, true, { 'x-canary-key': `k${index}` }))
    const again = Array.from({ length: 400 }, (_, index) => answering('fee', 50, true, { 'x-canary-key': `k${index}` }))
    expect(again).toEqual(names)
    expect(names.filter((name) => name === 'next').length / 400).toBeCloseTo(0.5, 1)
  })

  test('without a target is its own', () => {
    expect(answeringEnvironment({ own: PROD, target: undefined }, { raw: raw() }, { isSplit: true }, 'fee')).toBe(PROD)
  })
})
