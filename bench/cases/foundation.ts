import { PARTS } from '../foundation/requests.ts'
import { measured } from '../loop-delay/measurement.ts'

/** The same for people, organizations, projects, engines and the proxy: the largest inputs and lists that each route takes. */
export const foundation = (): Promise<void> => measured(PARTS)
