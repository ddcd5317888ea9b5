import { audit as en, type AuditTexts } from '../texts/en/audit.ts'
import { useLanguage } from '../texts/texts.tsx'
import { audit as zh } from '../texts/zh/audit.ts'

const TEXTS = { en, zh } as const

/** The texts of the audit in the selected language; no other page loads them. */
export const useAuditTexts = (): AuditTexts => TEXTS[useLanguage().language]
