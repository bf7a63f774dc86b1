"""Writes one set of grains in every way that VTK knows into a folder, and prints, as JSON, the grains and the names of the files."""
import itertools
import json
import os
import sys

from vtkmodules.vtkCommonCore import vtkDoubleArray, vtkFloatArray, vtkIntArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkCommonExecutionModel import vtkTrivialProducer
from vtkmodules.vtkFiltersParallel import vtkExtractPolyDataPiece
from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter

COUNT = 5000
folder = sys.argv[1]


def array(kind, name, components, value):
    result = kind()
    result.SetName(name)
    result.SetNumberOfComponents(components)
    result.SetNumberOfTuples(COUNT)
    for i in range(COUNT):
        for k in range(components):
            result.SetComponent(i, k, value(i, k))
    return result


def grains():
    data = vtkPolyData()
    points = vtkPoints()
    points.SetDataTypeToDouble()
    data.Allocate(COUNT)
    for i in range(COUNT):
        points.InsertNextPoint(i / 3, 1e-300 * i, -(i % 7))
        data.InsertNextCell(1, 1, [i])  # VTK cuts into pieces by cells.
    data.SetPoints(points)
    data.GetPointData().AddArray(array(vtkDoubleArray, "radius", 1, lambda i, _: 0.5 + i / 7))
    data.GetPointData().AddArray(array(vtkFloatArray, "velocity", 3, lambda i, k: i / 8 - k))
    data.GetPointData().AddArray(array(vtkIntArray, "type", 1, lambda i, _: 1 + i % 3))
    data.GetFieldData().AddArray(time())
    return data


def time():
    result = vtkDoubleArray()
    result.SetName("TimeValue")
    result.InsertNextValue(1 / 3)
    return result


def write(data, name, mode, compressor, header, endian, pieces=1):
    writer = vtkXMLPolyDataWriter()
    getattr(writer, "SetDataModeTo" + mode.replace("Raw", ""))()
    writer.SetEncodeAppendedData(mode != "AppendedRaw")
    getattr(writer, "SetCompressorTypeTo" + compressor)()
    getattr(writer, "SetHeaderTypeTo" + header)()
    getattr(writer, "SetByteOrderTo" + endian)()
    writer.SetBlockSize(4096)
    source = vtkTrivialProducer()
    source.SetOutput(data)
    extract = vtkExtractPolyDataPiece()
    extract.SetInputConnection(source.GetOutputPort())
    extract.CreateGhostCellsOff()
    writer.SetInputConnection(extract.GetOutputPort() if pieces > 1 else source.GetOutputPort())
    writer.SetNumberOfPieces(pieces)
    writer.SetFileName(os.path.join(folder, name))
    if not writer.Write():
        sys.exit(name + " was not written")
    return name


data = grains()
ways = list(
    itertools.product(
        ["Binary", "Appended", "AppendedRaw"],
        ["None", "ZLib", "LZ4"],
        ["UInt32", "UInt64"],
        ["LittleEndian", "BigEndian"],
    )
)
names = [write(data, "-".join(way) + ".vtp", *way) for way in ways]
names.append(write(data, "Ascii.vtp", "Ascii", "None", "UInt32", "LittleEndian"))
names += [write(data, "pieces-" + way[0] + way[1] + ".vtp", *way, pieces=3) for way in ways if way[2:] == ("UInt64", "BigEndian")]
write(data, "lzma.vtp", "Appended", "LZMA", "UInt32", "LittleEndian")
json.dump(
    {
        "names": names,
        "positions": [x for i in range(COUNT) for x in data.GetPoint(i)],
        "radii": [data.GetPointData().GetArray("radius").GetComponent(i, 0) for i in range(COUNT)],
        "velocities": [data.GetPointData().GetArray("velocity").GetComponent(i, k) for i in range(COUNT) for k in range(3)],
        "types": [int(data.GetPointData().GetArray("type").GetComponent(i, 0)) for i in range(COUNT)],
    },
    sys.stdout,
)
