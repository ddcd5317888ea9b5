import { PARTS } from '../authoring/requests.ts'
import { measured } from '../loop-delay/measurement.ts'

/**
 * For how long one request of an author keeps the platform from answering others: the largest bodies that each route takes.
 * `MIB=n` is their size. A busy machine takes longer than the platform lets one take: then take smaller ones.
 */
export const authoring = (): Promise<void> => measured(PARTS)
