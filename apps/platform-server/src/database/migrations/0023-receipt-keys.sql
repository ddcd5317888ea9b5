-- `[{key, public_key, from, until}]`: the public keys with which an engine has signed receipts; null: it reported none.
alter table servers add column receipt_keys json;
