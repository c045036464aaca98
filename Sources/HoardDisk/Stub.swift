internal import Crypto
internal import GRDB
