import type { EngineError } from '../errors.ts'
import type { Reception, Services } from '../services/services.ts'
import {
  type AccessHeaders,
  ADMITTED,
  type Admit,
  admitByToken,
  type Scope,
  tenantOf,
  type Token,
  WHOLE_SERVER,
} from './tokens.ts'

/** The access requirements of a route. */
export interface Entry {
  /** Undefined: every client is admitted, with or without a token. */
  readonly scope: Scope | undefined
  /** True if the route concerns no tenant: a token for some tenants does not suffice. */
  readonly isServerWide?: boolean | undefined
  /** True if the route changes something, which a reader and an engine of a platform refuse. */
  readonly writes?: boolean | undefined
}

/** The result of checking a request. */
export interface Entered {
  /** Why the request is refused; undefined if it is admitted. */
  readonly refusal: EngineError | undefined
  /** The name of its token, even if the token is refused; undefined if there is none or it is unknown. */
  readonly token: string | undefined
  /** The tenant that the request names; undefined if it names none. */
  readonly tenant: string | undefined
}

/**
 * Admits requests, in the same way for all transports: checks token, scope, tenant, and whether changes are permitted
 * here.
 */
export class Admission {
  readonly #reception: Reception
  #admit: Admit | undefined

  /** @param tokens undefined if authentication is disabled */
  constructor(reception: Reception, tokens: readonly Token[] | undefined) {
    this.#reception = reception
    this.#admit = tokens === undefined ? undefined : admitByToken(tokens)
  }

  /** True if requests need a token. */
  get hasTokens(): boolean {
    return this.#admit !== undefined
  }

  /** Replaces the tokens for all following requests. Authentication stays enabled or disabled. */
  replace(tokens: readonly Token[] | undefined): void {
    if (this.#admit !== undefined && tokens !== undefined) this.#admit = admitByToken(tokens)
  }

  enter(headers: AccessHeaders, { scope, isServerWide, writes }: Entry): Entered {
    const tenant = tenantOf(headers)
    const admit = this.#admit
    const { refusal, token } =
      admit === undefined || scope === undefined
        ? ADMITTED
        : admit(headers, scope, isServerWide === true ? WHOLE_SERVER : tenant)
    return { refusal: refusal ?? (writes === true ? this.#reception.server.writeRefusal : undefined), token, tenant }
  }

  /** The services for an admitted request. Counts the request for its tenant. Throws `EngineError`. */
  servicesFor({ tenant }: Entered): Services {
    return this.#reception.servicesFor(tenant)
  }
}
