import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error -- the package has no types
import { Provider } from 'oidc-provider'

/** A provider of OpenID Connect that signs in the account that a test names. */
export interface TestProvider {
  /**
   * The steps of a browser at the provider: from the sign-in page to the address of the redirect.
   *
   * @param location where the platform has sent the browser
   */
  signIn(location: string, name: string): Promise<string>
}

export const CLIENT = { id: 'platform', secret: 'a secret of the client' } as const

/** Addresses of `unchecked…` are not verified. */
const claimsOf = (sub: string) => ({
  sub,
  // Providers send names and addresses as people have typed them.
  name: sub === 'long' ? `  ${'x'.repeat(300)}` : ` ${sub} of the provider `,
  email: `${sub}@Corp.example`,
  email_verified: !sub.startsWith('unchecked'),
})

/** A provider whose address is known and which does not answer before it begins. */
export async function createProvider(): Promise<{
  readonly issuer: string
  /** @param redirectUri where it may send browsers */
  begin(redirectUri: string): TestProvider
  stop(): Promise<void>
}> {
  let answer: RequestListener = (request) => request.socket.destroy()
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    begin(redirectUri) {
      answer = providerAt(issuer, redirectUri)
      return { signIn: (location, name) => browse(location, name, redirectUri) }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function providerAt(issuer: string, redirectUri: string): RequestListener {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => claimsOf(id) }),
    features: { devInteractions: { enabled: true } },
  }) as { callback(): RequestListener }
  return provider.callback()
}

/** More steps than any sign-in has. */
const MAX_STEPS = 15

async function browse(location: string, name: string, end: string): Promise<string> {
  const cookies = new Map<string, string>()
  const ask = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: Array.from(cookies, ([key, value]) => `${key}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [key = '', ...value] = line.split(';')[0]?.split('=') ?? []
      cookies.set(key, value.join('='))
    }
    return { text: await response.text(), next: new URL(response.headers.get('location') ?? '', url).href }
  }
  let url = location
  for (let step = 0; step < MAX_STEPS; step++) {
    const { text, next } = await ask(url)
    const action = /action="([^"]+)"/.exec(text)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
    if (action === undefined || prompt === undefined) url = next
    else url = (await ask(action, { prompt, ...(prompt === 'login' ? { login: name, password: 'any' } : {}) })).next
    if (url.startsWith(end)) return url
  }
  throw new Error(`the provider did not send the browser back: ${url}`)
}
