import type { Configuration } from 'openid-client'

/** The provider cannot be reached. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway'
}

/** The provider refused the sign-in, or its response failed validation. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
}

/** The claims of a provider about a person. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  /** Set only if the provider has verified it. */
  readonly email: string | undefined
  readonly name: string | undefined
}

interface Beginning {
  readonly location: string
  readonly state: string
  readonly verifier: string
  readonly nonce: string
}

/** An OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
export interface Provider {
  begin(redirectUri: string): Promise<Beginning>
  /** @param url URL of the callback */
  complete(url: string, flow: Omit<Beginning, 'location'>): Promise<Claims>
}

/** Timeout of each request to the provider, in seconds. */
const REQUEST_TIMEOUT_S = 10

/** Discovery runs at the first sign-in, so that an unavailable provider does not prevent the platform from starting. */
export function createProvider(issuer: string, clientId: string, clientSecret: string): Provider {
  let discovered: Promise<Configuration> | undefined
  const configuration = async (): Promise<Configuration> => {
    const { allowInsecureRequests, discovery } = await import('openid-client')
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
    discovered ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: REQUEST_TIMEOUT_S,
      execute,
    })
    try {
      return await discovered
    } catch (cause) {
      // The next sign-in retries discovery.
      discovered = undefined
      throw new ProviderAway('no description of the provider', { cause })
    }
  }
  return {
    async begin(redirectUri) {
      const oidc = await import('openid-client')
      const config = await configuration()
      const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
      const location = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
      return { location: location.href, state, verifier, nonce }
    },
    async complete(url, { state, verifier, nonce }) {
      const { authorizationCodeGrant } = await import('openid-client')
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
      const config = await configuration()
      const tokens = await authorizationCodeGrant(config, new URL(url), checks).catch((cause: unknown) => {
        throw isNetwork(cause)
          ? new ProviderAway('no answer to the code', { cause })
          : new ProviderRefusal(cause instanceof Error ? cause.message : 'unknown reason', { cause })
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new ProviderRefusal('no identity in the answer')
      const { iss, sub, email, email_verified: isChecked, name } = claims
      return {
        issuer: iss,
        subject: sub,
        email: typeof email === 'string' && isChecked === true ? email : undefined,
        name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : undefined,
      }
    },
  }
}

/** `fetch` fails with a `TypeError`, and timeouts have their own name; the library wraps both. */
function isNetwork(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if (one.name === 'TimeoutError' || (one instanceof TypeError && one.message === 'fetch failed')) return true
  return false
}
