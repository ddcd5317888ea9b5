import { expect, test } from 'vitest'
import type { Segment } from '@engine/expression'
import { isPlain } from './path.ts'

const name: Segment = { kind: 'name', name: 'a' }
const index = (at: number): Segment => ({ kind: 'index', index: at })

test.each<[title: string, path: readonly Segment[], isOnePlace: boolean]>([
  ['a name', [name], true],
  ['names', [name, name], true],
  ['the first item', [name, index(0)], true],
  ['another item', [name, index(1), name], true],
  ['the last item', [name, index(-1)], false],
  ['a name of the last item', [name, index(-1), name], false],
  ['all items', [name, { kind: 'wildcard' }], false],
  ['the whole input', [], false],
])('%s', (_title, path, isOnePlace) => expect(isPlain(path)).toBe(isOnePlace))
