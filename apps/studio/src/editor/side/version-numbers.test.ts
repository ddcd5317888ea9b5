import { expect, test } from 'vitest'
import { nextVersions } from './version-numbers.ts'

test.each([
  ['1.4.0', ['1.4.1', '1.5.0', '2.0.0']],
  ['0.0.9', ['0.0.10', '0.1.0', '1.0.0']],
  ['1.4', undefined],
  ['1.4.0-beta', undefined],
  ['', undefined],
  ['9999999999.0.0', undefined],
])('the versions after %s are %j', (version, next) => expect(nextVersions(version)).toEqual(next))
