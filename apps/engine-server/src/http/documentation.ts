import { ErrorBody, ReadOnlyRejection, SignatureRejection } from '@engine/api'
import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import { type Router, type RouteSchema, SECURITY_HEADERS } from '@engine/http-server'
import { type TSchema, Type } from 'typebox'
import { VERSION } from '../version.ts'
import type { Route } from './routes.ts'

/** Where the description of the interface is. */
export const OPENAPI_PATH = '/api/v1/openapi.json'

/** The page may load and ask only its own server; it builds its styles at run time. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'"

/** Describe all routes in OpenAPI 3.1, and show that at `/docs`, without anything from another server. */
export async function registerDocumentation(app: Router, hasTokens: boolean): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'engine-server',
        version: VERSION,
        description: 'Stores rulesets, executes them and evaluates expressions.',
      },
      // Where the description was read.
      servers: [{ url: '/' }],
      ...(hasTokens
        ? {
            components: {
              securitySchemes: {
                token: { type: 'http', scheme: 'bearer' },
                apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
              },
            },
            // Either of them.
            security: [{ token: [] }, { apiKey: [] }],
          }
        : {}),
    },
  })
  app.get(OPENAPI_PATH, { schema: { hide: true } }, (_request, reply) => {
    reply.headers(SECURITY_HEADERS).send(app.swagger())
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/docs')) reply.headers({ ...SECURITY_HEADERS, 'content-security-policy': PAGE_POLICY })
    done()
  })
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: OPENAPI_PATH,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // These features need the vendor's servers, which the policy blocks.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
}

/** The part of a route that the description is made from. */
export function schemaOf(route: Route, hasTenants: boolean): RouteSchema {
  const { method, summary, group, scope, body, consumes, path } = route
  const headers = headersOf(route, hasTenants)
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
  return {
    operationId: operationIdOf(method, path),
    summary,
    tags: [group],
    // Otherwise what stands for all routes applies: a token, where the server asks for them.
    ...(scope === undefined
      ? { security: [] }
      : { description: `Where the server asks for tokens, one with the scope \`${scope}\`.` }),
    ...(body === undefined ? {} : { body, consumes: [...(consumes ?? ['application/json'])] }),
    ...(headers.length === 0
      ? {}
      : {
          headers: {
            type: 'object',
            properties: Object.fromEntries(
              headers.map(([name, description]) => [name, { type: 'string', description }]),
            ),
          },
        }),
    ...(route.query === undefined || route.query === 'any'
      ? {}
      : { querystring: { type: 'object', properties: route.query } }),
    ...(names.length === 0
      ? {}
      : {
          params: {
            type: 'object',
            properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
            required: names,
          },
        }),
    response: responsesOf(route),
  }
}

/** `getRulesetsName` of `GET /api/v1/rulesets/:name`: what generated clients call the operation. */
function operationIdOf(method: string, path: string): string {
  const words = path.replace('/api/v1', '').match(/[a-z]+/gi) ?? []
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/**
 * The schema of each status, `4xx` and `5xx` for those without a row.
 *
 * @internal
 */
export function answersOf({ answers, writes }: Route): Readonly<Record<string, TSchema>> {
  const forbidden = answers[403] === undefined ? {} : { 403: Type.Union([ErrorBody, SignatureRejection]) }
  const conflict = writes ? { 409: Type.Union([ErrorBody, ReadOnlyRejection]) } : {}
  return { ...answers, ...forbidden, ...conflict, '4xx': ErrorBody, '5xx': ErrorBody }
}

function responsesOf(route: Route): Readonly<Record<string, object>> {
  const answers: Record<string, object> = { ...answersOf(route) }
  for (const [status, headers] of Object.entries(route.answerHeaders ?? {}))
    answers[status] = { ...answers[status], headers: described(headers) }
  const { produces, otherAnswers } = route
  if (produces === undefined && otherAnswers === undefined) return answers
  const types = { [produces ?? 'application/json']: answers[200], ...otherAnswers }
  const content = Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]))
  return { ...answers, 200: { description: route.summary, content } }
}

/** Headers with their descriptions, as schemas. */
function described(headers: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { type: 'string', description }]),
  )
}

function headersOf({ headers = {}, isServerWide }: Route, hasTenants: boolean): readonly (readonly [string, string])[] {
  const tenant = ['x-tenant-id', 'the tenant whose rulesets are meant; default: `default`'] as const
  return [...Object.entries(headers), ...(hasTenants && !isServerWide ? [tenant] : [])]
}
