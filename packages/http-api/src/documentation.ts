import { createRouter, ERRORS_PAGE, type Router, type RouterParts, SECURITY_HEADERS } from '@engine/http-server'
import { isJson, type Json } from './components.ts'

/** Path of the API description. */
const OPENAPI_PATH = '/api/v1/openapi.json'

const PAGE_PATH = '/docs'

/** JSON Schema, section 13.1 of its core. */
const SCHEMA_TYPE = 'application/schema+json; charset=utf-8'

/** Whether a path is part of the documentation, which only answers GET. */
export function isDocumentation(path: string, { schemas }: Pick<Documentation, 'schemas'>): boolean {
  return path === OPENAPI_PATH || path.startsWith(PAGE_PATH) || schemas.some(([one]) => one === path)
}

/** The page may only load from and connect to its own server; it builds its styles at run time. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/** A diamond, the symbol of a decision, inlined: the policy allows no other source. */
const ICON = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#3b5bdb" d="M8 1l7 7-7 7-7-7z"/></svg>')}`

const PAGE_HEADERS = { ...SECURITY_HEADERS, 'content-security-policy': PAGE_POLICY }

/** Content of the documentation. */
export interface Documentation {
  /** The API description; called once, at the first request for it. */
  readonly describe: () => Json
  /** JSON Schemas of files, each served at its path. */
  readonly schemas: readonly (readonly [path: string, schema: () => Json])[]
  /** Shown in the browser tab. */
  readonly title: string
  /** Whether `/` redirects to the page; otherwise it is handled elsewhere. */
  readonly isHome?: boolean
  /** Prefix of the paths as seen by the browser, without a trailing slash. */
  readonly basePath?: string
}

/** Serve the API description and the schemas, and show the description at `/docs` without resources from other servers. */
export function registerDocumentation(
  app: Router,
  { describe, schemas, title, isHome = false, basePath = '' }: Documentation,
  parts: RouterParts,
): void {
  let description: string | undefined
  app.get(OPENAPI_PATH, (_request, reply) => {
    description ??= JSON.stringify(describe())
    reply.headers(SECURITY_HEADERS).type('application/json; charset=utf-8').send(description)
  })
  for (const [path, schema] of schemas)
    app.get(path, (_request, reply) => {
      reply.headers(SECURITY_HEADERS).type(SCHEMA_TYPE).send(JSON.stringify(schema()))
    })
  let errors: string | undefined
  app.get(ERRORS_PAGE, (_request, reply) => {
    errors ??= errorsPage(describe())
    reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(errors)
  })
  /** Loaded at the first request: it has 4 MB, and loading it would take a fifth of the startup time. */
  let page: Promise<Router> | undefined
  // The page loads its resources relative to a path with a trailing slash.
  app.get(PAGE_PATH, (_request, reply) => {
    reply.headers(PAGE_HEADERS).redirect(`${basePath}${PAGE_PATH}/`, 301)
  })
  if (isHome)
    app.get('/', (_request, reply) => {
      reply.headers(SECURITY_HEADERS).redirect(`${basePath}${PAGE_PATH}/`, 302)
    })
  app.get(`${PAGE_PATH}/*`, ({ raw: request }, reply) => {
    const { raw: response } = reply.hijack()
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value)
    page ??= openPage(parts, title, basePath)
    page.then(
      ({ routing }) => routing(request, response),
      (error: unknown) => parts.refuse(error, request, response),
    )
  })
}

/** Explains the codes of errors, each at its fragment. */
function errorsPage({ components }: Json): string {
  const responses = isJson(components) && isJson(components['responses']) ? Object.values(components['responses']) : []
  const rows = new Map<string, Set<string>>()
  for (const response of responses) {
    const code = codeIn(response)
    if (code !== undefined && isJson(response))
      rows.getOrInsertComputed(code, () => new Set()).add(String(response['description']))
  }
  const sections = [...rows].map(
    ([code, texts]) => `<h2 id="${code}">${code}</h2>${[...texts].map((text) => `<p>${escaped(text)}</p>`).join('')}`,
  )
  return `<!doctype html><html lang="en"><title>Errors</title><h1>Errors</h1>${sections.join('')}</html>`
}

/** The code in the example of a response; undefined if it has another body. */
function codeIn(response: unknown): string | undefined {
  let value: unknown = response
  for (const name of ['content', 'application/json', 'example', 'code']) value = isJson(value) ? value[name] : undefined
  return typeof value === 'string' && /^[A-Z_]+$/.test(value) ? value : undefined
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

async function openPage(parts: RouterParts, title: string, basePath: string): Promise<Router> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = createRouter(parts)
  await app.register(scalar, {
    routePrefix: PAGE_PATH,
    configuration: {
      url: basePath + OPENAPI_PATH,
      pageTitle: title,
      favicon: ICON,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // These features need the vendor's servers, which the policy blocks.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  await app.ready()
  return app
}
