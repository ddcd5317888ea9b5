#!/usr/bin/env python3
"""Verify decision receipts of an engine with nothing but Python's standard library.

  verify_receipt.py --key public.key receipt.json [more.ndjson]     receipts, one JSON document or one a line
  verify_receipt.py --key public.key --log DIRECTORY                the log of one instance

--key may be repeated. A key file is one line as `engine keygen` writes it, or a list {"keys": [{"public_key", "from", "until"}]}. Get keys from someone you trust: a key that comes with a receipt proves nothing.

Prints one line for each fault. Exit code: 0 everything holds, 1 a fault, 2 wrong call.
The formats: docs/receipts.md. This is a second implementation: it shares no code with packages/receipts.
"""
import base64
import hashlib
import json
import os
import re
import sys

LARGEST = 2**53 - 1

# --- Ed25519 (RFC 8032 section 5.1.7), in extended coordinates ---

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def add(left, right):
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    total = IDENTITY
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def equal(left, right):
    x1, y1, z1, _ = left
    x2, y2, z2, _ = right
    return (x1 * z2 - x2 * z1) % P == 0 and (y1 * z2 - y2 * z1) % P == 0


def point_of(data):
    """The point of 32 bytes; None when they are not the encoding of one."""
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))


def ed25519(public, message, signature):
    if len(signature) != 64:
        return False
    key, r, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], 'little')
    if key is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), 'little') % L
    return equal(multiply(s, BASE), add(r, multiply(h, key)))


# --- Texts ---


class Malformed(Exception):
    """A text is not of the documented form."""


def sha256(data):
    return hashlib.sha256(data).digest()


def utf8(text):
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Malformed('a hashed text has half a surrogate pair') from None


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b'=').decode()


def bytes_of(text, length):
    """The bytes of base64url without padding; None for any other text."""
    if not isinstance(text, str) or not re.fullmatch(r'[A-Za-z0-9_-]*', text):
        return None
    try:
        data = base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
    except ValueError:
        return None
    return data if len(data) == length and base64url(data) == text else None


def without_repetition(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise Malformed('a member occurs twice')
    return dict(pairs)


def no_constant(name):
    raise Malformed(f'{name} is not JSON')


def finite(text):
    number = float(text)
    if number in (float('inf'), float('-inf')):
        raise Malformed('a number is out of range')
    return number


def read_json(text, what):
    # JSON's white space only, and nothing before or after the value.
    try:
        return json.loads(text, object_pairs_hook=without_repetition, parse_constant=no_constant, parse_float=finite)
    except (ValueError, RecursionError) as error:
        raise Malformed(f'the {what} is not valid JSON: {error}') from None


def object_of(text, what):
    return require_object(read_json(text, what), what)


def require_object(value, what):
    if not isinstance(value, dict):
        raise Malformed(f'the {what} must be an object')
    return value


def require_members(value, what, required, optional=()):
    for name in required:
        if name not in value:
            raise Malformed(f'the {what} has no `{name}`')
    for name in value:
        if name not in required and name not in optional:
            raise Malformed(f'the {what} has an unknown member {name!r}')


def count_of(value, name, what):
    number = value[name]
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= LARGEST:
        raise Malformed(f'`{name}` of the {what} must be a whole number from 0 to 2^53 - 1')
    return number


def text_of(value, name, what):
    if not isinstance(value[name], str):
        raise Malformed(f'`{name}` of the {what} must be a text')
    return value[name]


def name_of(value, name, what):
    if text_of(value, name, what) == '':
        raise Malformed(f'`{name}` of the {what} must not be empty')
    return value[name]


def hash_of(value, name, what):
    if bytes_of(text_of(value, name, what), 32) is None:
        raise Malformed(f'`{name}` of the {what} must be base64url of 32 bytes')
    return value[name]


def digest_of(value, name, what):
    if not re.fullmatch(r'[0-9a-f]{64}', text_of(value, name, what)):
        raise Malformed(f'`{name}` of the {what} must be 64 hexadecimal digits')
    return value[name]


def require_version(value, what):
    if isinstance(value['v'], bool) or value['v'] != 1:
        raise Malformed(f'the {what} has another version than 1')


# --- Keys ---


def key_of(text):
    """The 32 bytes of a key: base64 with padding."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        data = b''
    if len(data) != 32 or base64.b64encode(data).decode() != text:
        raise Malformed('the public key is not base64 of 32 bytes')
    point = point_of(data)
    if point is None:
        raise Malformed('the public key is not a point of the curve')
    if equal(multiply(8, point), IDENTITY):
        raise Malformed('the public key is a point of small order: anyone could sign for it')
    return data


def key_id(key):
    return hashlib.sha256(key).hexdigest()[:16]


def read_keys(text):
    """Keys by id, each with the first and the last millisecond at which it signs."""
    text = text.strip()
    if not text.startswith('{'):
        key = key_of(text)
        return {key_id(key): (key, 0, LARGEST)}
    listed = object_of(text, 'keys').get('keys')
    if not isinstance(listed, list):
        raise Malformed('the keys must be an object such as {"keys": [{"public_key": "…"}]}')
    keys = {}
    for one in listed:
        require_members(require_object(one, 'key'), 'key', ('public_key',), ('key', 'from', 'until'))
        key = key_of(text_of(one, 'public_key', 'key'))
        if 'key' in one and one['key'] != key_id(key):
            raise Malformed('`key` is not the id of its `public_key`')
        first = 0 if one.get('from') is None else count_of(one, 'from', 'key')
        last = LARGEST if one.get('until') is None else count_of(one, 'until', 'key')
        if first > last:
            raise Malformed('`from` of a key is later than its `until`')
        if key_id(key) in keys:
            raise Malformed('a key is listed twice: give it one time span')
        keys[key_id(key)] = (key, first, last)
    return keys


# --- Trees (RFC 9162 section 2.1) ---


def leaf_hash(text):
    return sha256(b'\0' + utf8(text))


def node_hash(left, right):
    return sha256(b'\1' + left + right)


def root_of(leaves):
    level = leaves
    while len(level) > 1:
        above = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = above + level[-1:] if len(level) % 2 else above
    return level[0]


def root_by_path(node, index, count, path):
    """The root that a path leads to; None when the path has another length than the tree needs."""
    if not 0 <= index < count:
        return None
    last, rest = count - 1, list(path)
    while last:
        if index % 2 or index < last:
            if not rest:
                return None
            sibling = rest.pop(0)
            node = node_hash(sibling, node) if index % 2 else node_hash(node, sibling)
        index >>= 1
        last >>= 1
    return None if rest else node


# --- Entries and checkpoints ---

ENTRY = ('engine', 'instance', 'now', 'ruleset', 'seq', 'tenant', 'time', 'trust', 'uses', 'v')


def read_entry(text):
    entry = object_of(text, 'entry')
    if 'lost' in entry:
        require_members(entry, 'entry', ('lost', 'seq'))
        if count_of(entry, 'lost', 'entry') == 0:
            raise Malformed('`lost` of the entry must be at least 1')
        return {'lost': count_of(entry, 'lost', 'entry'), 'seq': count_of(entry, 'seq', 'entry')}
    require_members(entry, 'entry', ENTRY, ('contract', 'error', 'result'))
    require_version(entry, 'entry')
    if ('error' in entry) == ('result' in entry):
        raise Malformed('the entry must have either a `result` or an `error`')
    if 'contract' in entry:
        digest_of(entry, 'contract', 'entry')
    if 'error' in entry:
        name_of(entry, 'error', 'entry')
    for name in ('engine', 'instance', 'tenant'):
        name_of(entry, name, 'entry')
    for name in ('now', 'seq', 'time'):
        entry[name] = count_of(entry, name, 'entry')
    if 'result' in entry:
        result = require_object(entry['result'], '`result` of the entry')
        require_members(result, 'result', ('code', 'message', 'output'))
        text_of(result, 'code', 'result')
        hash_of(result, 'message', 'result')
        hash_of(result, 'output', 'result')
    ruleset = require_object(entry['ruleset'], '`ruleset` of the entry')
    require_members(ruleset, 'ruleset', ('digest', 'name', 'version'))
    digest_of(ruleset, 'digest', 'ruleset')
    name_of(ruleset, 'name', 'ruleset')
    text_of(ruleset, 'version', 'ruleset')
    trust = require_object(entry['trust'], '`trust` of the entry')
    require_members(trust, 'trust', ('calls', 'input'))
    if trust['calls'] != '':
        hash_of(trust, 'calls', 'trust')
    hash_of(trust, 'input', 'trust')
    if not isinstance(entry['uses'], list):
        raise Malformed('`uses` of the entry must be a list')
    for one in entry['uses']:
        require_members(require_object(one, 'used ruleset'), 'used ruleset', ('digest', 'name'))
        digest_of(one, 'digest', 'used ruleset')
        name_of(one, 'name', 'used ruleset')
    return entry


def read_checkpoint(text):
    checkpoint = object_of(text, 'checkpoint')
    members = ('count', 'first', 'instance', 'key', 'n', 'prev', 'root', 'time', 'v')
    require_members(checkpoint, 'checkpoint', members)
    require_version(checkpoint, 'checkpoint')
    if not re.fullmatch(r'[0-9a-f]{16}', text_of(checkpoint, 'key', 'checkpoint')):
        raise Malformed('`key` of the checkpoint must be 16 hexadecimal digits')
    for name in ('count', 'first', 'n', 'time'):
        checkpoint[name] = count_of(checkpoint, name, 'checkpoint')
    if checkpoint['count'] == 0:
        raise Malformed('`count` of the checkpoint must be at least 1')
    name_of(checkpoint, 'instance', 'checkpoint')
    hash_of(checkpoint, 'prev', 'checkpoint')
    hash_of(checkpoint, 'root', 'checkpoint')
    return checkpoint


# Signatures that were verified: many receipts share one checkpoint.
verified = {}


def signature_fault(keys, checkpoint, text, signature):
    if checkpoint['key'] not in keys:
        return 'unknown-key', f'it is signed by the key {checkpoint["key"]}, which was not given'
    key, first, last = keys[checkpoint['key']]
    if not first <= checkpoint['time'] <= last:
        return 'expired-key', f'the key {checkpoint["key"]} does not sign at the time of the checkpoint'
    data = bytes_of(signature, 64)
    if data is None:
        return 'signature', 'the signature is not base64url of 64 bytes'
    known = key, text, data
    if known not in verified:
        if len(verified) > 100_000:
            verified.clear()
        verified[known] = ed25519(key, b'engine-checkpoint/1\n' + utf8(text), data)
    return None if verified[known] else ('signature', 'the signature is not that of the checkpoint by this key')


# --- Receipts ---

PARTS = ('input', 'output', 'message', 'calls')


def commitment_of(shown):
    salt, text = shown
    return base64url(sha256(utf8(f'{salt}.{text}')))


def salted_text(value, part):
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(one, str) for one in value):
        raise Malformed(f'the evidence {part!r} must be [salt, text]')
    utf8(value[1])
    if bytes_of(value[0], 16) is None:
        raise Malformed(f'the salt of the evidence {part!r} must be base64url of 16 bytes')
    return value


def read_receipt(text):
    receipt = object_of(text, 'receipt')
    members = ('format', 'entry', 'index', 'path', 'checkpoint', 'signature')
    require_members(receipt, 'receipt', members, ('evidence',))
    for name in ('format', 'entry', 'checkpoint', 'signature'):
        text_of(receipt, name, 'receipt')
    utf8(receipt['entry'] + receipt['checkpoint'])
    if receipt['format'] != 'engine-receipt/1':
        raise Malformed(f'the receipt has the format {receipt["format"]!r}')
    receipt['index'] = count_of(receipt, 'index', 'receipt')
    if not isinstance(receipt['path'], list) or not all(isinstance(one, str) for one in receipt['path']):
        raise Malformed('`path` of the receipt must be a list of texts')
    evidence = require_object(receipt.get('evidence', {}), '`evidence` of the receipt')
    require_members(evidence, 'evidence', (), PARTS + ('fields',))
    for part in PARTS:
        if part in evidence:
            salted_text(evidence[part], part)
    for path, shown in require_object(evidence.get('fields', {}), '`fields` of the evidence').items():
        salted_text(shown, f'fields.{path}')
    return receipt


def commitment_at(value, path):
    """The commitment of a field in the text of the input; None where there is none."""
    for name in path.split('.'):
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    if not isinstance(value, dict) or list(value) != ['$commitment'] or not isinstance(value['$commitment'], str):
        return None
    return value['$commitment']


def evidence_faults(evidence, entry):
    result = entry.get('result', {})
    committed = {**entry['trust'], 'output': result.get('output'), 'message': result.get('message')}
    for part in PARTS:
        if part not in evidence:
            continue
        if commitment_of(evidence[part]) != committed[part]:
            yield part, f'the evidence `{part}` does not match the commitment of the entry'
        else:
            yield from text_faults(evidence[part][1], part)
    if 'fields' not in evidence:
        return
    if 'input' not in evidence:
        yield 'fields', 'there are `fields` but no `input`'
        return
    try:
        value = read_json(evidence['input'][1], 'input')
    except Malformed:
        value = None
    for path, shown in evidence['fields'].items():
        if commitment_of(shown) != commitment_at(value, path):
            yield 'fields', f'the field `{path}` does not match the commitment in the input'
        else:
            yield from text_faults(shown[1], f'fields.{path}')


def text_faults(text, part):
    """A committed text that readers could take for different values: a member occurs twice, or it is no JSON."""
    try:
        read_json(text, f'evidence `{part}`')
    except Malformed as error:
        yield 'malformed', str(error)


def receipt_faults(keys, text):
    """What does not hold in the JSON of a receipt: pairs of a code and a message."""
    try:
        receipt = read_receipt(text)
        entry = read_entry(receipt['entry'])
        if 'lost' in entry:
            raise Malformed('the entry states a gap: it is no receipt of a decision')
        checkpoint = read_checkpoint(receipt['checkpoint'])
        path = [bytes_of(one, 32) for one in receipt['path']]
        if None in path:
            raise Malformed('`path` must have base64url of 32 bytes')
    except Malformed as error:
        return [('malformed', str(error))]
    faults = []
    fault = signature_fault(keys, checkpoint, receipt['checkpoint'], receipt['signature'])
    if fault:
        faults.append(fault)
    if entry['instance'] != checkpoint['instance']:
        faults.append(('instance', 'the entry is of another instance than the checkpoint'))
    if entry['seq'] != checkpoint['first'] + receipt['index']:
        faults.append(('position', f'the entry has the number {entry["seq"]}, its place in the tree is another'))
    if entry['time'] > checkpoint['time']:
        faults.append(('time', 'the decision ended after its checkpoint was signed'))
    root = root_by_path(leaf_hash(receipt['entry']), receipt['index'], checkpoint['count'], path)
    if root is None or base64url(root) != checkpoint['root']:
        faults.append(('path', 'the path does not lead from the entry to the root of the checkpoint'))
    return faults + list(evidence_faults(receipt.get('evidence', {}), entry))


# --- Logs ---

MAX_PENDING = 1_000_000


class LogVerification:
    """Verifies the lines of a log, segment after segment."""

    def __init__(self, keys):
        self.keys = keys
        self.leaves = []
        self.instance = self.anchor = self.head = self.seq = None
        self.entry_time = self.checkpoint_time = self.entries = self.lost = self.checkpoints = 0

    def line(self, text):
        try:
            return list(self._checkpoint(text) if text.startswith('{"checkpoint":') else self._entry(text))
        except Malformed as error:
            return [('malformed', str(error))]

    def end(self):
        if self.leaves:
            count = len(self.leaves)
            last = counted(count, 'entry', 'entries')
            return [('unsigned', f'there is no checkpoint for {last} at the end: the log was cut, or is not signed yet')]
        return [] if self.checkpoints else [('unsigned', 'the log has no checkpoint')]

    def _entry(self, text):
        if len(self.leaves) == MAX_PENDING:
            raise Malformed(f'there are more than {MAX_PENDING} entries without a checkpoint')
        entry = read_entry(text)
        if self.seq is not None and entry['seq'] != self.seq:
            yield 'position', f'entry {entry["seq"]} where {self.seq} was expected'
        self.seq = entry['seq'] + 1
        self.entries += 1
        self.leaves.append(leaf_hash(text))
        if 'lost' in entry:
            self.lost += entry['lost']
            return
        self.instance = self.instance or entry['instance']
        if entry['instance'] != self.instance:
            yield 'instance', f'entry {entry["seq"]} is of another instance'
        if entry['time'] < self.entry_time:
            yield 'time', f'entry {entry["seq"]} is earlier than the one before'
        self.entry_time = entry['time']

    def _checkpoint(self, line):
        value = object_of(line, 'line')
        require_members(value, 'line', ('checkpoint', 'signature'))
        text, signature = text_of(value, 'checkpoint', 'line'), text_of(value, 'signature', 'line')
        utf8(text)
        checkpoint = read_checkpoint(text)
        n = checkpoint['n']
        fault = signature_fault(self.keys, checkpoint, text, signature)
        if fault:
            yield fault
        self.instance = self.instance or checkpoint['instance']
        if checkpoint['instance'] != self.instance:
            yield 'instance', f'checkpoint {n} is of another instance'
        placed = checkpoint['first'] + checkpoint['count'] == (self.seq or 0)
        if self.head is None:
            begins = checkpoint['first'] == 0 and checkpoint['prev'] == base64url(bytes(32))
            self.anchor = n if n > 0 else None
            if not placed or not (n > 0 or begins):
                yield 'order', f'checkpoint {n} does not begin the chain'
        elif not placed or (n, checkpoint['prev']) != (self.head[0] + 1, self.head[1]):
            yield 'order', f'checkpoint {n} does not follow checkpoint {self.head[0]}'
        if checkpoint['count'] != len(self.leaves) or base64url(root_of(self.leaves)) != checkpoint['root']:
            yield 'root', f'the entries before checkpoint {n} are not those it signed'
        if checkpoint['time'] < max(self.checkpoint_time, self.entry_time):
            yield 'time', f'checkpoint {n} is earlier than an entry or checkpoint before it'
        self.head = n, base64url(sha256(utf8(text)))
        self.checkpoint_time = checkpoint['time']
        self.checkpoints += 1
        self.leaves = []


SEGMENT = re.compile(r'receipts-(\d+)\.jsonl')


def segments_of(directory):
    """The segment files of a log, in the order of their first checkpoints."""
    found = [(int(match[1]), name) for name in os.listdir(directory) if (match := SEGMENT.fullmatch(name))]
    return [os.path.join(directory, name) for _, name in sorted(found)]


def lines_of(path):
    """Lines end with a line feed only."""
    with open(path, 'rb') as file:
        for line in file:
            yield line


# --- Command line ---


def verify_log(keys, directory):
    verification, faults = LogVerification(keys), 0
    paths = segments_of(directory)
    if not paths:
        print(f'{directory}: there is no receipts-<n>.jsonl')
        return 1
    for path in paths:
        for number, line in enumerate(lines_of(path), 1):
            try:
                found = verification.line(line.decode().removesuffix('\n'))
                if not line.endswith(b'\n'):
                    found.append(('malformed', 'the last line is not complete'))
            except UnicodeDecodeError:
                found = [('malformed', 'the line is not UTF-8')]
            for code, message in found:
                faults += 1
                print(f'{path}:{number}: {code}: {message}')
    for code, message in verification.end():
        faults += 1
        print(f'{directory}: {code}: {message}')
    start = '' if verification.anchor is None else f', anchored at checkpoint {verification.anchor}'
    gap = f', {counted(verification.lost, "decision")} without a receipt' if verification.lost else ''
    extent = f'{counted(verification.entries, "entry", "entries")}, {counted(verification.checkpoints, "checkpoint")}'
    print(f'{directory}: {verdict_of(faults)} ({extent}{start}{gap})')
    return 1 if faults else 0


def counted(count, noun, plural=None):
    return f'{count} {noun}' if count == 1 else f'{count} {plural or noun + "s"}'


def verdict_of(faults):
    return counted(faults, 'fault') if faults else 'holds'


def texts_of(path):
    """The receipts of a file: one document, or one a line."""
    with open(path, 'rb') as file:
        text = file.read().decode()
    lines = [line for line in text.split('\n') if line.strip()]
    return lines if len(lines) > 1 and all(line.startswith('{"format":') for line in lines) else [text]


def verify_receipts(keys, path):
    faults = count = 0
    try:
        texts = texts_of(path)
    except UnicodeDecodeError:
        print(f'{path}: malformed: the file is not UTF-8')
        return 1
    for number, text in enumerate(texts, 1):
        count += 1
        for code, message in receipt_faults(keys, text):
            faults += 1
            print(f'{path}:{number}: {code}: {message}')
    print(f'{path}: {verdict_of(faults)} ({counted(count, "receipt")})')
    return 1 if faults else 0


def main(arguments):
    keys, files, logs = {}, [], []
    rest = list(arguments)
    try:
        while rest:
            one = rest.pop(0)
            if one in ('--key', '--log'):
                if not rest:
                    raise SystemExit(usage(f'{one} needs a value'))
                value = rest.pop(0)
                if one == '--log':
                    logs.append(value)
                else:
                    with open(value, 'rb') as file:
                        keys.update(read_keys(file.read().decode('latin-1')))
            elif one.startswith('-'):
                raise SystemExit(usage(f'unknown option {one}'))
            else:
                files.append(one)
        if not keys or not (files or logs):
            raise SystemExit(usage('a --key and a receipt or a --log are needed'))
        results = [verify_receipts(keys, path) for path in files] + [verify_log(keys, path) for path in logs]
    except Malformed as error:
        return usage(str(error))
    except OSError as error:
        return usage(f'{error.filename}: {error.strerror}')
    return max(results)


def usage(problem):
    print(f'{problem}\n\n{__doc__}', file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
