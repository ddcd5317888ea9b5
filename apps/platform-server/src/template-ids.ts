/** The templates of this program, in display order. */
export const TEMPLATE_IDS = [
  'loan-approval',
  'ecommerce-coupon',
  'fraud-screening',
  'insurance-premium',
  'feature-access',
  'shipping',
  'tax',
  'claims-triage',
  'authorization',
] as const
