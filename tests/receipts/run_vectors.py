"""Reads the texts of a JSON document from standard input and prints what tools/verify_receipt.py finds, as JSON.

  {"vectors": FILE}                  every table of the vectors
  {"keys": TEXT, "receipts": [...]}  the codes of the faults of each text
"""
import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location('verify', os.path.join(HERE, '../../tools/verify_receipt.py'))
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)


def codes_of(faults):
    return [code for code, _ in faults]


def ids_of(text):
    try:
        return list(verify.read_keys(text))
    except verify.Malformed:
        return None


def log_of(keys, segments):
    log, faults = verify.LogVerification(keys), []
    for name in sorted(segments, key=lambda name: int(verify.SEGMENT.fullmatch(name)[1])):
        for line in segments[name].split('\n')[:-1]:
            faults += log.line(line)
    return {'faults': codes_of(faults + log.end()), 'anchor': log.anchor}


def tree_of(count, indices):
    leaves = [verify.leaf_hash(f'leaf {index}') for index in range(count)]
    return verify.base64url(verify.root_of(leaves))


def root_by_path(row, index, path):
    leaf = verify.leaf_hash(f'leaf {index}')
    root = verify.root_by_path(leaf, int(index), row['count'], [verify.bytes_of(one, 32) for one in path])
    return root and verify.base64url(root)


def answer(request):
    if 'vectors' not in request:
        keys = verify.read_keys(request['keys'])
        return [codes_of(verify.receipt_faults(keys, text)) for text in request['receipts']]
    with open(request['vectors'], encoding='utf-8') as file:
        vectors = json.load(file)
    keys = verify.read_keys(vectors['keys'])
    return {
        'trees': [
            {
                'root': tree_of(row['count'], row['paths']),
                'byPath': [root_by_path(row, index, path) for index, path in row['paths'].items()],
            }
            for row in vectors['trees']
        ],
        'keyFiles': [ids_of(row['text']) for row in vectors['keyFiles']],
        'receipts': [codes_of(verify.receipt_faults(keys, row['text'])) for row in vectors['receipts']],
        'logs': [log_of(keys, row['segments']) for row in vectors['logs']],
    }


json.dump(answer(json.load(sys.stdin)), sys.stdout)
