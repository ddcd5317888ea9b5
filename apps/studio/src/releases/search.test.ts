import { expect, test } from 'vitest'
import { releasesSearch } from './search.ts'

test.each([
  [{ q: 'a', status: 'draft', environment: 'e1', scope: 'organization' }, 'the same'],
  [{ q: '', status: '', environment: '' }, {}],
  [{ q: 1, status: ['draft'], environment: null, scope: 'project' }, {}],
  [{ status: 'draft', other: 'x' }, { status: 'draft' }],
])('the parameters %j filter releases by %j', (search, filters) => {
  expect(releasesSearch(search)).toEqual(filters === 'the same' ? search : filters)
})
