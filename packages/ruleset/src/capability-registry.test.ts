import { expect, test } from 'vitest'
import { createCapabilities } from './capability-registry.ts'

const provider = (name: string) => ({
  name,
  operations: ['echo'],
  call: ({ payload }: { payload: {} }) => Promise.resolve({ payload, metadata: {} }),
})

test('a provider is found under its name once it is registered', () => {
  const capabilities = createCapabilities()
  expect(capabilities.get('mirror')).toBeUndefined()
  const mirror = provider('mirror')
  capabilities.register(mirror)
  capabilities.register(provider('other'))
  expect(capabilities.get('mirror')).toBe(mirror)
  expect(capabilities.get('constructor')).toBeUndefined()
  expect(capabilities.names()).toEqual(['mirror', 'other'])
})

test('a name can be registered once', () => {
  const capabilities = createCapabilities()
  capabilities.register(provider('mirror'))
  expect(() => capabilities.register(provider('mirror'))).toThrow('capability `mirror` is registered twice')
})
