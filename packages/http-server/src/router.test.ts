import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { noRoute, patternOf } from './router.ts'

const ROUTES = [
  { method: 'GET', path: '/books' },
  { method: 'POST', path: '/books' },
  { method: 'GET', path: '/books/:id' },
  { method: 'DELETE', path: '/books/:id' },
  { method: 'POST', path: '/books/:id/loans' },
]

test.each<[method: string, url: string, allow: readonly string[] | undefined]>([
  ['PUT', '/books', ['GET', 'HEAD', 'POST']],
  ['PUT', '/books?q=1', ['GET', 'HEAD', 'POST']],
  ['PATCH', '/books/7', ['GET', 'HEAD', 'DELETE']],
  ['GET', '/books/7/loans', ['POST']],
  ['GET', '/authors', undefined],
  ['GET', '/books/', undefined],
  ['GET', '/books/7/loans/8', undefined],
  ['GET', '/books/7/fines', undefined],
  // The path has the method: the route refused it for another reason.
  ['GET', '/books/7', undefined],
  ['HEAD', '/books', undefined],
])('%s %s is allowed for %s', (method, url, allow) => {
  const error = noRoute({ method, url } as IncomingMessage, ROUTES, 'see /docs')
  expect([error.code, error.allow]).toEqual([allow === undefined ? 'not-found' : 'method-not-allowed', allow])
  const path = url.replace(/\?.*/, '')
  expect(error.message).toBe(
    allow === undefined
      ? `there is no path \`${path}\`; see /docs`
      : `\`${path}\` answers ${allow.join(', ')}, not \`${method}\``,
  )
})

test('methods of other handlers count as well, and GET among them has HEAD', () => {
  const error = noRoute({ method: 'PUT', url: '/health' } as IncomingMessage, ROUTES, '', ['GET'])
  expect(error.allow).toEqual(['GET', 'HEAD'])
  expect(noRoute({ method: 'PUT', url: '/books' } as IncomingMessage, ROUTES, '', ['OPTIONS']).allow).toEqual([
    'GET',
    'HEAD',
    'POST',
    'OPTIONS',
  ])
})

test('a parameter is one segment that is not empty', () => {
  const pattern = patternOf({ path: '/books/:id/loans' })
  expect(
    ['/books/1/loans', '/books//loans', '/books/1/2/loans', '/x/books/1/loans', '/books/1/loans/'].map((path) =>
      pattern.test(path),
    ),
  ).toEqual([true, false, false, false, false])
  expect(patternOf({ path: '/books/:id/loans' })).toBe(pattern)
})
