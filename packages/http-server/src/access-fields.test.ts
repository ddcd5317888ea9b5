import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { accessFields } from './access-fields.ts'

test.each([
  ['/a/b', '/a/b'],
  // A query may hold a code of a sign-in.
  ['/a/b?code=secret', '/a/b'],
  ['/a?x?y', '/a'],
  ['?x', ''],
  [undefined, ''],
])('the path of %s in the log is %s', (url, path) => {
  const request = { method: 'GET', url } as IncomingMessage
  expect(accessFields(request, { route: '/a/:id', status: 200, milliseconds: 1.23456 })).toEqual({
    method: 'GET',
    path,
    route: '/a/:id',
    status: 200,
    ms: 1.235,
  })
})
