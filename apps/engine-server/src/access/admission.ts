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
  /** Undefined: every client is let in, with or without a token. */
  readonly scope: Scope | undefined
  /** It is about no tenant: a token for some of them is not enough. */
  readonly isServerWide?: boolean | undefined
  /** It changes something, which a reader and an engine of a platform refuse. */
  readonly writes?: boolean | undefined
}

/** A request that has been looked at. */
export interface Entered {
  /** Why it is not let in; undefined: it is. */
  readonly refusal: EngineError | undefined
  /** The name of its token, also of one that is refused; undefined: none, or one that is not known. */
  readonly token: string | undefined
  /** As it names it; undefined: it names none. */
  readonly tenant: string | undefined
}

/** Lets requests in, the same for all transports: token, scope, tenant, and whether anything may be changed here. */
export class Admission {
  readonly #reception: Reception
  #admit: Admit | undefined

  /** @param tokens undefined: authentication is disabled */
  constructor(reception: Reception, tokens: readonly Token[] | undefined) {
    this.#reception = reception
    this.#admit = tokens === undefined ? undefined : admitByToken(tokens)
  }

  /** Whether requests need a token. */
  get hasTokens(): boolean {
    return this.#admit !== undefined
  }

  /** From the next request on these tokens count. Whether there are any at all does not change. */
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

  /** The services of an admitted request. Counts it for its tenant. Throws `EngineError`. */
  servicesFor({ tenant }: Entered): Services {
    return this.#reception.servicesFor(tenant)
  }
}
